"""The paper's corruptions: exact answers in, sets that contain them out.

Each function takes any data, is seeded by `random_state` as in scikit-learn, and never leaves the truth outside its
set. With one seed, the sets of all but `hamming_ball` and `lose_sign` grow with the level.

References
----------
Cabannes, Rudi and Bach (2020), Structured prediction with partial labelling through the infimum loss, Sec. 5, App. B.
"""

from .labels import skewed, uniform
from .rankings import lose_labels, lose_pairs, lose_pairs_at_random
from .reals import lose_sign, make_lost_sign
from .tags import hamming_ball, lose_tags

__all__ = [
    "hamming_ball",
    "lose_labels",
    "lose_pairs",
    "lose_pairs_at_random",
    "lose_sign",
    "lose_tags",
    "make_lost_sign",
    "skewed",
    "uniform",
]
