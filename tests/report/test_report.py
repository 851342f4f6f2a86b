"""The report: its numbers, its sections, and escaping."""

import json
import math
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from infimum import (
    CandidateLabels,
    Features,
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
)
from infimum.estimators.generic import PartialEstimator
from infimum.outputs import Boxes, Labels, Vectors
from infimum.report import _page as h
from infimum.report import build
from infimum.report.comparison import compare
from infimum.report.facts import Contents, ReportFacts
from infimum.report.scores import Compared, beats_constant, compared
from infimum.report.summary import summary
from small_search import SMALL_SEARCH

HOSTILE = ["<script>hacked=1</script>", '"><img src=x onerror=hacked=1>', "a&b'c", "{{7*7}} $x^2$"]


@pytest.fixture(scope="module")
def hostile():
    """A model whose classes, rows and annotators are called the worst things."""
    rng = np.random.default_rng(0)
    kind = rng.integers(4, size=48)
    X = np.array([[0, 0], [3, 0], [0, 3], [3, 3]])[kind] + rng.normal(scale=0.5, size=(48, 2))
    y = [{HOSTILE[k], HOSTILE[(k + rng.integers(2)) % 4]} for k in kind]
    y[5] = {HOSTILE[(kind[5] + 2) % 4]}
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, y)
    names = [f"<b>row</b> {k}" for k in range(48)]
    truth = [HOSTILE[k] if i < 10 else None for i, k in enumerate(kind)]
    return build(
        model, X, title="<title>", names=names, annotators=["<i>ann</i>", "bob"] * 24, truth=truth,
        impossible={3: "<u>x</u>"}, unused={"<em>": "<why>"},
    )  # fmt: skip


def test_report_about_a_pipeline_shows_the_cells_of_its_table():
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=60)
    table = pd.DataFrame({"size": kind + 0.1 * rng.standard_normal(60), "note": [f"note {k}" for k in range(60)]})
    y = ["cat|dog" if k % 3 == 0 else ["cat", "dog"][kind[k]] for k in range(60)]
    for k in (1, 10, 20, 40):
        y[k] = ["dog", "cat"][kind[k]]
    model = make_pipeline(Features(ignore=["note"]), PartialClassifier(search_config=SMALL_SEARCH)).fit(table, y)
    made = build(model, table)
    assert "note 20" in made.html
    assert made.facts.scores == build(model[-1], model[:-1].transform(table)).facts.scores


class Tags(HTMLParser):
    """What a browser would make of a page: its elements and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: dict[str, int] = {}
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.names[tag] = self.names.get(tag, 0) + 1
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("meta", "br", "img", "link", "input", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.names[tag] = self.names.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


def parsed(page: str) -> Tags:
    found = Tags()
    found.feed(page)
    found.close()
    assert found.open == []
    return found


def test_build_escapes_texts(hostile):
    found = parsed(hostile.html)
    assert found.names["script"] == 1
    assert not {"img", "b", "i", "u", "em", "why", "iframe", "link", "object"} & (set(found.names) - {"b"})
    assert found.names["title"] == 1
    assert not [name for name in found.attributes if name.startswith("on")]
    for name in [*HOSTILE, "<b>row</b> 3", "<i>ann</i>", "<u>x</u>", "<em>", "<why>", "<title>"]:
        assert name in found.text, name
    bold = re.findall(r"<b>([^<]*)</b>", hostile.html)
    assert all("row" not in text for text in bold)  # the tiles alone are bold


def test_build_loads_no_other_files(hostile):
    page = re.sub(r'xmlns(:xlink)?="[^"]*"', "", hostile.html)
    assert "//" not in re.sub(r"<script>.*?</script>", "", page, flags=re.S).replace("<!doctype", "")
    for word in ("src=", "@import", "fetch(", "XMLHttpRequest", "url(http"):
        assert word not in page.replace("onerror", "").replace("src=x", ""), word
    assert "default-src 'none'" in hostile.html


def test_build_ids_are_unique(hostile):
    ids = re.findall(r' id="([^"]+)"', hostile.html)
    assert len(ids) == len(set(ids))
    for used in re.findall(r"url\(#([^)]+)\)", hostile.html):
        assert used in ids


def test_build_is_deterministic():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    y = ["a|b", "a", "b", "b|c"] * 5
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, y)
    assert build(model, X).html == build(model, X).html


def test_build_counts_annotators(undrawn):
    X = np.arange(6.0)[:, None]
    y = ["a", "b", "a|b", "b", None, "c"]
    model = PartialClassifier().fit(X, y)
    names = [1, 1, 2, 2, 3, 3]  # ann and bob on things 1 and 2; only ann says something of 3
    made = build(model, X, names=names, annotators=["ann", "bob", "ann", "bob", "bob", "ann"])
    row = r'<td[^>]*>{}</td><td class="n"[^>]*>3</td><td class="n"[^>]*>(\d)</td><td class="n"[^>]*>[^<]*</td>'
    row += r'<td class="n"[^>]*>[^<]*</td><td class="n"[^>]*>(\d)</td><td class="n"[^>]*>(\d)</td>'
    # answered, alone, against all others: thing 1 is contradicted, thing 2 is not, thing 3 was answered by ann alone
    assert re.search(row.format("ann"), made.html).groups() == ("3", "1", "1")
    assert re.search(row.format("bob"), made.html).groups() == ("2", "0", "1")


@pytest.mark.parametrize(
    "model, y",
    [
        (
            PartialMultilabelClassifier(search_config=SMALL_SEARCH),
            [{"red": True}, {"red": False, "big": True}, {"big": 0}],
        ),
        (PartialRanker(search_config=SMALL_SEARCH), ["a>b", "b>c>a", "c>a"]),
        (PartialRegressor(search_config=SMALL_SEARCH), [(0, 1), (None, 2), 1.5]),
    ],
)
def test_build_tags_rankings_numbers(model, y, undrawn):
    X = np.random.default_rng(0).normal(size=(30, 2))
    made = build(model.fit(X, y * 10), X)
    found = parsed(made.html)
    for part in ("Rows to review", "Labels", "Identifiability", "Model and scores", "Glossary"):
        assert part in found.text
    assert made.verdict in found.text


def test_compared_uses_held_out_rows():
    """One feature that names the row: without the row, nothing is known; with it, everything would be."""
    rng = np.random.default_rng(0)
    X, y = rng.permutation(60)[:, None] * 1000.0, [f"c{k}" for k in rng.integers(3, size=60)]
    model = PartialClassifier().fit(X, y)
    assert max(row.covering for row in compared(model, X, model.output_, model.sets_)) < 0.6


def test_scores_of_the_model_are_those_of_its_selection():
    """`infimum fit`, `clean` and `report` print one covering rate."""
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=90)
    X, y = kind[:, None] + rng.normal(scale=0.6, size=(90, 2)), [f"c{k}" for k in kind]
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, y)
    ours, scores = compared(model, X, model.output_, model.sets_)[-1], model.selection_.scores
    assert (ours.covering, ours.beyond, ours.risk) == tuple(
        scores[key] for key in ("covering_rate", "chance_corrected", "set_risk")
    )


def test_improbable_outputs_are_not_proposed(undrawn):
    """With many classes, the most probable one may be improbable, too."""
    rng = np.random.default_rng(0)
    kind = rng.integers(60, size=240)
    X = rng.normal(size=(60, 4))[kind] * 2 + rng.normal(scale=0.7, size=(240, 4))
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, [f"c{k}" for k in kind])
    rows = build(model, X).facts.review
    assert any(row.proposed for row in rows)
    assert any(not row.proposed for row in rows)
    for row in rows:
        assert row.probability >= 0.1 if row.proposed else row.probability is None and not row.because
    suspects = [row.probability for row in rows if row.support is not None and row.proposed]
    assert suspects == sorted(suspects, reverse=True)


def test_build_compares_with_true_labels(undrawn):
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=40)
    X = kind[:, None] * 5.0 + rng.normal(size=(40, 1))
    y = [{"a", "b"} if rng.random() < 0.3 else "ab"[k] for k in kind]
    truth = ["ab"[k] for k in kind]
    y[0] = "ab"[1 - kind[0]]
    made = build(PartialClassifier(search_config=SMALL_SEARCH).fit(X, y), X, truth=truth)
    assert "39 of these 40 sets contain the true output." in made.html
    assert "40 rows with a known output." in made.html
    assert "Exactly right estimated labels: " in made.html


def test_build_estimated_numbers_are_in_their_sets(undrawn):
    """Of a union, not in the gap between its pieces; and likelihoods are shown where they decide."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (60, 1))
    value = 2 + X[:, 0]
    pieces = np.stack([np.column_stack([-value - 0.1, -value + 0.1]), np.column_stack([value - 0.1, value + 0.1])], 1)
    pieces[::3, 0] = np.nan
    model = PartialRegressor(search_config=SMALL_SEARCH).fit(X, pieces)
    made = build(model, X, truth=list(value)).html
    row = re.search(r"estimated labels</td>.*?</tr>", made, re.S).group()
    assert [float(cell) for cell in re.findall(r">([\d.]+)<", row)][2] < 0.02  # the squared distance to the truth
    assert "log P(S)" in made


def test_build_raises_on_other_rows():
    X = np.arange(6.0)[:, None]
    model = PartialClassifier().fit(X, ["a", "b"] * 3)
    with pytest.raises(ValueError, match="X has 5 rows; the model was fitted on 6"):
        build(model, X[:5])


def test_page_elements_escape_and_sort_numbers():
    assert h.tag("p", "<x>", title='"') == '<p title="&quot;">&lt;x&gt;</p>'
    table = h.table(["a", "b"], [["x", 2.0], ["y", math.nan]])
    assert 'data-v="2.0"' in table
    assert "–" in table
    long = h.table(["a"], [["z" * 500]])
    assert f'title="{"z" * 500}"' in long


def test_build_labels_without_names(undrawn):
    X = np.arange(12.0)[:, None]
    sets = CandidateLabels(np.eye(3, dtype=bool)[[0, 1, 2] * 4])
    assert "<h2>" in build(PartialClassifier().fit(X, sets), X).html


@pytest.mark.parametrize(
    "model, y",
    [
        (PartialClassifier(search_config=SMALL_SEARCH), ["a", "b", "a|b", "c"]),
        (
            PartialMultilabelClassifier(search_config=SMALL_SEARCH),
            [{"r": True}, {"r": False, "s": True}, {"s": False}, None],
        ),
    ],
)
def test_cases_of_are_ordered_by_margin(model, y):
    from infimum.diagnostics import audit
    from infimum.report.review import cases_of

    # the label depends on X: on noise, all margins of the default model are equal
    X = np.random.default_rng(0).normal(scale=0.6, size=(40, 2)) + np.tile([[0, 0], [2, 0], [1, 0], [0, 2]], (10, 1))
    fitted = model.fit(X, y * 10)
    found = {why: made.margin for why, _, made in cases_of(fitted, X, audit(X, fitted.sets_, fitted.output_))}
    assert found["the largest margin"] > found["a medium margin"] > found["the smallest margin"]
    every = [fitted.explain(x).margin for x in X]
    if isinstance(fitted, PartialClassifier):
        assert np.isclose(found["the largest margin"], max(every))
        assert np.isclose(found["the smallest margin"], min(every))


def labelled_blobs(m, n, names=None):
    """n rows around m centres, their names, and labels of which one is wrong."""
    rng = np.random.default_rng(0)
    kind = np.arange(n) % m
    X = rng.normal(size=(m, 4))[kind] * 4 + rng.normal(scale=0.1, size=(n, 4))
    names = [f"category {k}" for k in range(m)] if names is None else names
    y = [{names[k], names[(k + 1) % m]} if i % 5 == 0 else names[k] for i, k in enumerate(kind)]
    y[1] = names[(kind[1] + 1) % m]
    return X, y, names


def test_build_begins_with_three_sentences_and_the_rows_to_review(undrawn):
    X, y, _ = labelled_blobs(3, 60)
    rows = [{"text": f"<i>message</i> {k}", "label": str(y[k])} for k in range(60)]
    made = build(PartialClassifier(search_config=SMALL_SEARCH).fit(X, y), X, rows=rows, hidden=["label"])
    there, learned, act = made.facts.summary
    assert there == "The table has 60 rows: 48 with an exact label and 12 with a partial label, for 3 classes."
    assert learned.startswith("The labels can be predicted: on held-out rows, 98% of the predictions agree")
    assert "nearest neighbours" in learned
    assert act == "Next: review 1 row (1 with a probably wrong label)."
    assert made.facts.n_review == len(made.audit.rows()) == len(made.facts.review)
    one = next(row for row in made.facts.review if row.support is not None)
    assert (one.row, one.set, one.proposed) == (1, "category 2", "category 1")
    assert one.probability > 0.5
    assert one.cells == {"text": "<i>message</i> 1"}
    assert {other["set"] for other in one.because} <= {"category 1", "category 1 | category 2"}
    assert one.because[0]["text"].startswith("<i>message</i>")
    page = parsed(made.html)
    assert "i" not in page.names
    assert page.text.index("The table has 60 rows") < page.text.index("<i>message</i> 1") < page.text.index("Glossary")


def test_build_without_skill_says_so_first(undrawn):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.choice(["a", "b", "c"], 80).tolist()
    made = build(PartialClassifier(search_config=SMALL_SEARCH).fit(X, y), X)
    assert not made.beats_constant
    assert "cannot be predicted from these columns" in made.facts.summary[1]
    assert "label more rows" in made.facts.summary[2]


def test_build_says_that_a_few_large_values_dominate_the_error(undrawn):
    """Values rise with x, but two outliers hide this in the squared error."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 3, (80, 1))
    y = np.exp(X[:, 0] + rng.normal(0, 0.3, 80))
    y[[3, 40]] = 900, 700
    made = build(PartialRegressor(search_config=SMALL_SEARCH).fit(X, y), X)
    assert not made.beats_constant
    learned, next_ = made.facts.summary[1:]
    assert learned.startswith("It is unclear whether the labels can be predicted")
    assert "(RMSE " in learned
    assert "5 % of the rows cause 97 % of the squared error" in learned
    assert "logarithm" in next_
    assert "label more rows" not in next_


@pytest.mark.parametrize("m", [2, 300])
def test_build_many_classes(m):
    X, y, _ = labelled_blobs(m, max(60, 3 * m), [f"<b>{k}</b> {'long name ' * 3}" for k in range(m)])
    made = build(PartialClassifier(search_config=SMALL_SEARCH).fit(X, y), X)
    assert "b" not in set(parsed(made.html.replace("<b>", "").replace("</b>", "")).names)
    assert len(made.html) < 3_000_000
    assert made.html.count("<tr>") < 2000  # long tables are cut, and say so
    assert len(made.facts.names) == m
    chart = re.search(r"<figure>(.*?)</figure>", made.html[made.html.index('id="identifiability"') :], re.S)[1]
    assert chart.count("beside") <= 12
    assert "$" not in made.html.split("<script>")[0].replace("\\$", "")


def test_report_as_json_and_markdown(undrawn):
    X, y, names = labelled_blobs(3, 60, ["a#b", "<b>c</b>", "*d*"])
    y[0] = None
    made = build(PartialClassifier(search_config=SMALL_SEARCH).fit(X, y), X, title="# <x>")
    found = json.loads(json.dumps(made.to_json(), allow_nan=False))
    assert found["schema"] == 1
    assert set(found) == {
        "schema", "title", "version", "kind", "summary", "counts", "names", "scores", "beats_constant", "review",
        "n_review", "merge", "inseparable", "verdict", "degree", "annotators", "tables",
    }  # fmt: skip
    assert found["counts"] == {"rows": 60, "exact": 48, "partial": 11, "unlabelled": 1}
    assert [one["name"] for one in found["scores"]] == ["the best constant", "10 nearest neighbours", "the model"]
    assert found["names"] == sorted(names)
    text = made.markdown
    assert text.startswith(r"# \# \<x\>" + "\n\nThe table has 60 rows")
    assert "<b>" not in text
    assert all(line.count("|") - line.count(r"\|") == 7 for line in text.splitlines() if line.startswith("| row "))
    assert "## Scores on held-out rows" in text


def test_build_shows_thumbnails_of_the_folder_only(tmp_path, undrawn):
    Image = pytest.importorskip("PIL.Image")
    X, y, _ = labelled_blobs(3, 60)
    Image.new("RGB", (300, 200), "red").save(tmp_path / "a.png")
    (tmp_path / "broken.png").write_bytes(b"no image")
    photos = ["a.png", "a.png", "broken.png", "../a.png", "/etc/passwd"]
    rows = [{"photo": photos[k] if k < 5 else "a.png"} for k in range(60)]
    made = build(PartialClassifier(search_config=SMALL_SEARCH).fit(X, y), X, rows=rows, folder=tmp_path)
    assert made.facts.review[0].images == {"photo": str(tmp_path / "a.png")}
    assert made.html.count('src="data:image/png;base64,') >= 1
    assert len(made.html) < 500_000


def test_compare_models_on_one_table():
    _, y, names = labelled_blobs(3, 60)
    space = Labels(classes=names).fit([])
    sets = space.read(y)
    right = np.arange(60) % 3
    wrong = np.where(np.arange(60) < 20, (right + 1) % 3, right)
    rows = [{"text": f"<i>{k}</i>", "label": "x"} for k in range(60)]
    contents = Contents(rows, None, ["label"])
    made = compare("t", {"a.skops": right, "b.skops": wrong}, space, sets, "row {}".format, contents)
    assert "a.skops is better than the others" in made.summary[1]
    assert made.n_differences == 20
    assert made.differences[0]["predictions"] == {"a.skops": "category 0", "b.skops": "category 1"}
    assert [one["name"] for one in made.scores][1:] == ["a.skops", "b.skops"]
    assert "i" not in parsed(made.html).names
    assert json.loads(json.dumps(made.to_json(), allow_nan=False))["n_differences"] == 20
    assert r"\<i\>0\</i\>" in made.markdown
    constant = compare("t", {"a": np.zeros(60, dtype=int)}, space, sets, str, Contents(None))
    assert "No model is better" in constant.summary[1]


def facts(kind, scores, **others):
    """What a report says about nine exact rows."""
    counts = {"rows": 9, "exact": 9, "partial": 0, "unlabelled": 0}
    empty = {"names": [], "review": [], "n_review": 0, "merge": [], "inseparable": [], "verdict": "", "degree": None}
    plain = {"title": "", "version": "", "summary": [], "counts": counts, "beats_constant": True}
    return ReportFacts(**{**plain, **empty, "kind": kind, "scores": scores, **others})


def test_summary_of_several_outputs_and_of_a_better_simple_model():
    """Several outputs have a covering rate; a simple model that is clearly better is named."""
    one = {"name": "the best constant", "output": "cat", "covering_rate": 0.2, "errors": {"weight: rmse": (1.0, 2.0)}}
    near = {**one, "name": "10 nearest neighbours", "covering_rate": 0.9}
    found = summary(facts("product", [one, near, {**one, "name": "the model", "covering_rate": 0.7}]))
    assert "70% of the predictions agree" in found[1]
    assert "RMSE" not in found[1]
    assert "--weights neighbors" in found[2]
    blind = [{"options": ["pixel 4"], "reason": "pixel 4 is never ruled out"}]
    assert "about pixel 4 is never" not in summary(facts("mask", [one, one, near], inseparable=blind))[2]


def test_numbers_and_vectors_are_described_by_errors_and_harmless_differences_are_no_conflicts(undrawn):
    """One-sided intervals have no finite error; exact vectors are almost never predicted exactly."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 10, 80))[:, None]
    y = [(float(v), float(v)) if k % 3 else (float(v), np.inf) for k, v in enumerate(3 * x[:, 0])]
    found = build(PartialRegressor().fit(x, y), x).facts
    assert "inf" not in found.summary[1]
    assert "the typical error (RMSE) is at least" in found.summary[1]
    assert found.n_review == 0
    X = rng.normal(size=(80, 2))
    boxes = Boxes(X @ [[1, 2], [0, 1]], X @ [[1, 2], [0, 1]])
    model = PartialEstimator(Vectors(), weights="linear", search_config=SMALL_SEARCH).fit(X, boxes)
    found = build(model, X).facts
    assert "the mean loss (set risk) is" in found.summary[1]
    assert found.n_review == 0


def test_model_without_skill_proposes_nothing(undrawn):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(120, 3)), rng.choice(["x", "y", "z"], size=120).tolist()
    X[1], y[0], y[1] = X[0], "x", "y"  # the same features
    made = build(PartialClassifier(search_config=SMALL_SEARCH).fit(X, y), X)
    assert not made.beats_constant
    assert {one.row for one in made.facts.review} == {0, 1}
    assert {one.proposed for one in made.facts.review} == {""}
    assert made.facts.n_review == len(made.audit.rows()) == 2


def test_summary_names_the_least_reliable_annotator_and_comes_back_after_merging():
    one = {"name": "n", "output": "x", "covering_rate": 0.5, "set_risk": 0.5, "errors": {}}
    people = [{"annotator": "Cem"}, {"annotator": "Ann"}]
    merge = [{"name": "Cat"}]
    said = facts("labels", [one, one], names=["x", "y"], n_review=2, merge=merge, annotators=people)
    found = summary(said, n_suspects=1)
    assert found[0].endswith("for 2 classes, by 2 annotators (Cem is the least reliable).")
    assert "merge 1 look-alike name and write the report again, and review 2 rows" in found[2]


def test_all_rows_decide_about_skill_if_the_selection_has_compared_a_sample():
    """Eight of ten rare labels are found: 8 errors less among 1,000 rows, but only 2 among the 100 of the sample."""
    n = 1000
    constant, ours = np.zeros(n), np.zeros(n)
    constant[:10], ours[:2] = 1, 1
    rows = [Compared("", np.zeros((n, 1)), 1, 0, each.mean(), {}, each, None) for each in (constant, ours)]

    def model(n_labelled, better):
        return SimpleNamespace(selection_=SimpleNamespace(scores={"beats_constant": better, "n_labelled": n_labelled}))

    assert beats_constant(model(100, False), rows)
    assert not beats_constant(model(n, False), rows)
    assert beats_constant(model(100, True), rows[:1] * 2)


def test_summary_rounds_no_share_to_all_and_describes_soft_labels_by_their_loss():
    rare = [
        {"name": name, "output": "ok", "covering_rate": share, "set_risk": risk, "errors": {}}
        for name, share, risk in (("the best constant", 0.993, 0.007), ("the model", 0.9985, 0.0015))
    ]
    assert "99.9% of the predictions agree with their candidate set, against 99% " in summary(facts("labels", rare))[1]
    soft = [{**one, "covering_rate": 1.0} for one in rare]
    assert "the mean loss (set risk) is 0.0015, against 0.007 for" in summary(facts("labels", soft))[1]


def test_soft_labels_are_not_called_inseparable():
    """No class is excluded in any row, but the probabilities tell the classes apart."""
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=60)
    X = kind[:, None] + 0.3 * rng.standard_normal((60, 2))
    y = [{"cat": 0.8, "dog": 0.2} if k else {"cat": 0.1, "dog": 0.9} for k in kind]
    made = build(PartialClassifier(search_config=SMALL_SEARCH).fit(X, y), X)
    said = made.to_json()
    assert "soft labels" in said["verdict"]
    assert said["inseparable"] == []
    assert "separates" not in said["summary"][2]
