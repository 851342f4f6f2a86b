"""Fallible evidence: annotators of unknown reliability, sets that miss the true label, and calibration."""

from .answers import Answers, SourcedAnswers
from .reliability import Prior, SourceModel
from .sources import Noise, Sources
from .votes import Votes

__all__ = ["Answers", "Noise", "Prior", "SourceModel", "SourcedAnswers", "Sources", "Votes"]
