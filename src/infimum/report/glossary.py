"""Terms of the report, which are explained at its end."""

from __future__ import annotations

TERMS = {
    "ambiguity degree": "The largest probability that a wrong label is also a candidate, over all pairs of labels."
    " Below 1, the true labels can be learned from enough rows.",
    "best constant": "The one output that agrees with most rows. A model that is not better has learned nothing.",
    "bits": "Information: a label that is known exactly among four equally likely ones is worth two bits.",
    "candidate set": "The outputs that are possible for a row, such as cat or dog. It should contain the true output.",
    "chance-corrected": "The covering rate on a scale on which 0 is what the same predictions reach on randomly"
    " permuted rows, and 1 is perfect.",
    "confidence": "The probability that the estimated label is the true one, if the candidate set contains it.",
    "covering rate": "The share of rows whose candidate set contains the prediction.",
    "cross-validation": "Each row is predicted by a model that was fitted without it.",
    "disambiguation": "Estimating which member of its candidate set is the label of each row.",
    "exact": "A row with exactly one possible output.",
    "identifiability": "Whether the candidate sets contain enough information to separate all outputs.",
    "local separation": "1 minus the probability of the second most frequent label near a row. 0 means that two labels"
    " are equally possible there.",
    "margin": "How much better a prediction is than its closest alternative.",
    "partial": "A row with several possible outputs, but not all.",
    "principle": "How a candidate set is turned into a loss: by its closest, average or farthest member, or by"
    " disambiguation.",
    "reliability": "The probability that an answer of an annotator contains the true label, corrected for chance.",
    "R²": "The share of the variance that the predictions explain.",
    "RMSE": "The root mean squared error, a typical distance between prediction and true value.",
    "set risk": "The mean loss to the closest member of the candidate set; smaller is better.",
    "support": "The probability of the candidate set of a row, computed from the other rows only.",
    "suspect": "A row whose candidate set probably does not contain the true output.",
    "tied": "A row in which two candidates are about equally likely.",
    "unlabelled": "A row for which every output is possible.",
}
"""Term -> its meaning in plain words. A term that occurs in a text of the report is linked to it."""
