"""Cells that stand for a missing value are empty in tables and in the studio."""

import numpy as np
import pytest

from infimum import PartialClassifier, io
from infimum.active.studio import read_task


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    labels = ["not sure" if k % 5 == 0 else "late" if k > 20 else "early" for k in range(40)]
    lines = [f"{k if k % 7 else -9},{label}" for k, label in enumerate(labels)]
    path.write_text("age,label\n" + "\n".join(lines))
    return path


def test_read_table_leaves_out_missing_words_and_codes(survey):
    records = io.read_table(survey, "label", kind="labels", missing=["not sure", "-9"])
    assert records.y.count(None) == 8
    assert np.isnan(records.data["age"].to_numpy(dtype=float)).sum() == 6
    known = records.data["age"].notna().to_numpy()
    X, y = records.data[known], [cell for cell, there in zip(records.y, known) if there]
    model = PartialClassifier().fit(X, y)
    assert model.classes_.tolist() == ["early", "late"]
    assert model.predict(X[:1]) == ["early"]


def test_studio_does_not_offer_words_for_missing_answers(survey):
    assert "not sure" in read_task(survey, "label").names()
    task = read_task(survey, "label", missing=["not sure"])
    assert task.names() == ["early", "late"]
    assert task.records.y.count(None) == 8
