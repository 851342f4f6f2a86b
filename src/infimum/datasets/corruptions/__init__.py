"""The paper's corruptions, which turn exact labels into sets that contain them.

Each function accepts any data and is seeded by `random_state` as in scikit-learn. The true label is always in its set.
For a fixed seed, the sets grow with the level, except those of `hamming_ball` and `lose_sign`.

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
