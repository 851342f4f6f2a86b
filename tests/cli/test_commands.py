"""From files of annotation tools to a model, clean labels and a report, one command after the other."""

import csv
import json
import re

import numpy as np
import pytest

from . import sources

KERNEL = ("--weights", "kernel")


def table(path) -> list[dict]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def prepared(kind, here, infimum, data_home) -> tuple[list, int]:
    """A table made of a source: the options that say what its target is, and how many rows it has."""
    if kind == "label-studio":
        sources.label_studio(here / "export.json")
        options = ("--meaning", "one_of", "--annotators", "intersect", "--skipped", "unknown")
        infimum("convert", "export.json", "--from", kind, *options, "--out", "table.csv")
        return ["--target", "label"], 40
    if kind == "prodigy":
        sources.prodigy(here / "export.jsonl")
        infimum("convert", "export.jsonl", "--from", kind, "--skipped", "unknown", "--out", "table.csv")
        return ["--target", "label"], 40
    if kind == "votes":
        sources.snorkel(here / "L.npy", here / "data.csv")
        options = ("--classes", "cat,dog,owl", "--annotators", "intersect", "--data", "data.csv")
        infimum("convert", "L.npy", "--from", kind, *options, "--out", "table.csv")
        return ["--target", "label"], 40
    if kind == "partial labels":
        sources.partial_labels(here / "table.csv", data_home)
        return ["--target", "label", "--ignore", "truth"], 90
    if kind == "rankings":
        sources.rankings(here / "table.csv", data_home)
        return ["--target", "order"], 60
    if kind == "tags":
        sources.tags(here / "table.csv")
        return ["--target", "tags"], 60
    sources.intervals(here / "table.csv")
    text = (here / "table.csv").read_text().replace(",3,1\n", ",1,3\n")
    (here / "table.csv").write_text(text)
    return ["--target", "low", "--target", "high", "--kind", "number"], 60


KINDS = {
    "label-studio": "labels", "prodigy": "labels", "votes": "labels", "partial labels": "labels", "rankings": "ranking",
    "intervals": "number", "tags": "tags",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_commands_from_file_to_report(kind, here, infimum, as_json, data_home, request):
    if kind in ("prodigy", "votes", "partial labels"):  # one of each structure is drawn
        request.getfixturevalue("undrawn")
    target, n = prepared(kind, here, infimum, data_home)
    fitted = as_json("fit", "table.csv", *target, "--principle", "infimum", *KERNEL)
    assert (fitted["kind"], fitted["rows"], fitted["complete"]) == (KINDS[kind], n, True)

    infimum("predict", "model.skops", "table.csv", "--out", "predictions.csv")
    rows, before = table("predictions.csv"), table("table.csv")
    assert len(rows) == n
    assert all(row["prediction"] for row in rows)
    assert [{k: row[k] for k in before[0]} for row in rows] == before  # what was there stays as it was

    options = [part for part in target if part not in ("--ignore", "truth", "--kind", "number")]
    scored = as_json("score", "model.skops", "table.csv", *options)
    assert 0.5 < scored["agreement"] <= 1

    found = as_json("clean", "table.csv", *target, *KERNEL)
    cleaned = table("clean.csv")
    assert len(cleaned) == n == found["rows"]
    assert ("confidence" in cleaned[0]) == (KINDS[kind] in ("labels", "tags", "ranking"))
    if KINDS[kind] == "labels":
        assert all(inside(row["clean"], row["label"]) for row in cleaned)
        assert all(0 <= float(row["confidence"]) <= 1 for row in cleaned)

    told = as_json("report", "table.csv", *target, "--principle", "infimum", *KERNEL)
    page = (here / "report.html").read_text()
    assert told["rows"] == n
    for part in ("Rows to review", "Labels", "Identifiability", "Model and scores"):
        assert f"<h2>{part}</h2>" in page
    assert "http://" not in page.replace("http://www.w3.org/", "")  # the names of SVG, and no address
    assert "https://" not in page
    assert "src=" not in page
    assert "@import" not in page


def inside(label: str, cell: str) -> bool:
    if not cell:
        return True
    return label not in cell[1:].split("|") if cell.startswith("!") else label in cell.split("|")


def test_predict_equals_python_model(here, infimum):
    """The file, loaded by skops with the types of `infimum.io.trusted`, is a pipeline of scikit-learn."""
    import skops.io

    from infimum.io import TRUSTED_TYPES, read_table

    sources.label_studio(here / "export.json")
    options = ("--meaning", "one_of", "--annotators", "vote", "--skipped", "drop")
    infimum("convert", "export.json", "--from", "label-studio", *options)
    infimum("fit", "labels.csv", "-t", "label", *KERNEL, "--principle", "disambiguation")
    infimum("predict", "model.skops", "labels.csv")
    model = skops.io.load("model.skops", trusted=TRUSTED_TYPES)
    X = read_table("labels.csv", "label", id="id").data
    rows = table("predictions.csv")
    assert [row["prediction"] for row in rows] == model.predict(X).tolist()
    assert [column.name for column in model[0].columns_] == ["text", "weight"]  # and not the id
    best = model[-1].predict_proba(model[0].transform(X)).max(axis=1)
    assert np.allclose([float(row["confidence"]) for row in rows], best, atol=1e-4)


def test_fit_reports_selected_model(here, infimum, as_json):
    sources.tags(here / "tags.csv", 24)
    found = as_json("fit", "tags.csv", "-t", "tags", "--weights", "kernel")
    assert {"covering_rate", "chance_corrected", "set_risk", "constant", "beats_constant"} <= set(found["scores"])
    assert re.search(r"kernel ridge.*; chosen among \d+ candidates", found["chosen"])


def test_report_compares_with_true_labels(here, infimum, data_home, undrawn):
    sources.partial_labels(here / "lost.csv", data_home)
    infimum("report", "lost.csv", "-t", "label", "--truth", "truth", *KERNEL, "--principle", "infimum")
    page = (here / "report.html").read_text()
    assert "Comparison with true outputs" in page
    assert "90 of these 90 sets contain the true output." in page
    assert "truth (true labels)" in page  # and it was not learned from


def test_fit_raises_on_impossible_rows_and_report_lists_them(here, infimum, as_json, undrawn):
    sources.intervals(here / "table.csv")
    target = ("-t", "low", "-t", "high", "--kind", "number")
    said = infimum("fit", "table.csv", *target, code=1)
    assert "line 12: the lower bound 3 is above the upper one 1" in said
    assert not (here / "model.skops").exists()
    found = as_json("report", "table.csv", *target, *KERNEL, "--principle", "infimum")
    assert found["impossible"] == [10]
    page = (here / "report.html").read_text()
    assert "line 12" in page
    assert "bound" in page.split("Details")[0]  # what is wrong with it, in its card


def test_report_lists_cyclic_orders(here, infimum, as_json, undrawn):
    rows = [[k, cell] for k, cell in enumerate(["a>b>c", "b>a", "a>c", "c>a, a>b, b>c", "a>b", "b>c", "a>c", "c>b"])]
    sources.write(here / "o.csv", ["x", "order"], rows)
    assert "line 5" in infimum("fit", "o.csv", "-t", "order", code=1)
    found = as_json("report", "o.csv", "-t", "order", *KERNEL, "--principle", "infimum")
    assert found["impossible"] == [3]
    infimum("report", "o.csv", "-t", "order", *KERNEL, "--principle", "infimum", "--out", "r.json")
    (row,) = [one for one in json.loads((here / "r.json").read_text())["review"] if one["row"] == 3]
    assert row["set"] == "c>a, a>b, b>c"  # as it is written, although it counts as unlabelled


def test_fit_same_table_in_other_formats(here, infimum):
    import pandas as pd

    sources.tags(here / "t.csv", 30)
    frame = pd.read_csv(here / "t.csv")
    frame.to_parquet(here / "t.parquet")
    frame.to_json(here / "t.jsonl", orient="records", lines=True)
    found = []
    for name in ("t.csv", "t.parquet", "t.jsonl"):
        infimum("fit", name, "-t", "tags", *KERNEL, "--principle", "infimum")
        infimum("predict", "model.skops", name, "--out", "p.csv")
        found.append([row["prediction"] for row in table("p.csv")])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("kind", ["labels", "number"])
def test_predict_prediction_sets(kind, here, infimum, as_json):
    """As `Conformal` has them, in the notation that tables are read by."""
    from infimum import Not
    from infimum.cli._models import load
    from infimum.io import read_table

    if kind == "labels":
        sources.label_studio(here / "export.json", 80)
        options = ("--meaning", "one_of", "--annotators", "intersect", "--skipped", "drop")
        infimum("convert", "export.json", "-f", "label-studio", *options, "--out", "t.csv")
        target = ["-t", "label"]
    else:
        sources.intervals(here / "t.csv", 80)
        (here / "t.csv").write_text((here / "t.csv").read_text().replace(",3,1\n", ",1,3\n"))
        target = ["-t", "low", "-t", "high", "--kind", "number"]
    covers = ("--level", "0.8", "--covers", "set")
    found = as_json("fit", "t.csv", *target, *covers, *KERNEL, "--principle", "infimum")
    assert "0.8" in found["guarantee"]
    infimum("predict", "model.skops", "t.csv", "--out", "p.csv")
    pipe = load(here / "model.skops")[0]
    sets = pipe.conformal_.predict_set(pipe[0].transform(read_table("t.csv").data))
    again = read_table("p.csv", "set", kind=kind).y
    if kind == "labels":
        names = [set(pipe[-1].classes_[row]) for row in sets.mask]
        said = [set(pipe[-1].classes_) - set(c.labels) if isinstance(c, Not) else c for c in again]
        said = [c if isinstance(c, set) else {c} for c in said]
        assert [s for s in said if s != {None}] == [n for n in names if n and n != set(pipe[-1].classes_)]
    else:
        assert np.allclose([cell[0] for cell in again], sets.lowest)
        assert np.allclose([cell[1] for cell in again], sets.highest)


@pytest.mark.parametrize("kind", ["vector", "mask"])
def test_commands_on_vectors_and_masks(kind, here, infimum, as_json, undrawn):
    """Output types without an estimator or cells of their own work through the defaults."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=30)
    if kind == "vector":
        cells = [f"[{x},{x + 1}] x {2 * x}" if k % 2 else f"[{x}, {2 * x}]" for k, x in enumerate(X)]
    else:
        cells = [f"[[{1 if x else -1}, 0, {-1 if x else 1}]]" for x in X]
    sources.write(here / "t.csv", ["x", "y"], [[x + 0.1 * rng.normal(), cell] for x, cell in zip(X, cells)])
    target = ("-t", "y", "--kind", kind)
    found = as_json("fit", "t.csv", *target, *KERNEL, "--principle", "infimum")
    assert found["kind"] == kind
    infimum("predict", "model.skops", "t.csv")
    rows = table("predictions.csv")
    assert all(row["prediction"].startswith("[" if kind == "mask" else ("0", "1", "2", "-")) for row in rows)
    assert as_json("score", "model.skops", "t.csv")["set_risk"] < 0.5
    infimum("clean", "t.csv", *target, *KERNEL)
    assert len(table("clean.csv")) == 30
    as_json("report", "t.csv", *target, *KERNEL, "--principle", "infimum")
    assert "<h2>Model and scores</h2>" in (here / "report.html").read_text()


def test_report_writes_markdown_json_and_comparisons(here, infimum, as_json, undrawn):
    """The same facts in three formats, and models side by side."""
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=90)
    lines = [f"{k + rng.normal(scale=0.2):.3f},note {i},{'abc'[k] if i % 7 else 'a|b|c'}" for i, k in enumerate(kind)]
    lines[1] = f"{kind[1]},odd <i>one</i>,{'abc'[(kind[1] + 1) % 3]}"
    (here / "t.csv").write_text("\n".join(["x,text,label", *lines]) + "\n")
    told = as_json("report", "t.csv", "-t", "label", "--ignore", "text", "--out", "r.json")
    found = json.loads((here / "r.json").read_text())
    assert found["summary"] == told["summary"]
    assert found["n_review"] >= 1
    first = next(row for row in found["review"] if row["support"] is not None)
    assert first["cells"]["text"] == "odd <i>one</i>"
    infimum("report", "t.csv", "-t", "label", "--ignore", "text", "--out", "r.md")
    text = (here / "r.md").read_text()
    assert found["summary"][0].split(":")[0] in text
    assert r"odd \<i\>one\</i\>" in text
    cleaned = as_json("clean", "t.csv", "-t", "label", "--ignore", "text")
    assert cleaned["suspect"] == sum(row["support"] is not None for row in found["review"])  # one number for one thing
    for name, weights in (("a", "kernel"), ("b", "forest")):
        infimum("fit", "t.csv", "-t", "label", "--ignore", "text", "--weights", weights, "--out", f"{name}.skops")
    told = as_json("report", "a.skops", "b.skops", "t.csv", "--out", "both.html")
    assert [one["name"] for one in told["scores"]][1:] == ["a.skops", "b.skops"]
    assert "<h2>Rows on which the models differ</h2>" in (here / "both.html").read_text()
    (here / "other.csv").write_text("x,label\n" + "".join(f"{k},{'uv'[k % 2]}\n" for k in range(30)))
    infimum("fit", "other.csv", "-t", "label", "--weights", "kernel", "--out", "c.skops")
    assert "other outputs" in infimum("report", "a.skops", "c.skops", "t.csv", code=1)


def test_contradictory_comparisons(infimum, as_json, here, rng):
    """An error names the line and the other settings; with one of them, the model is fitted, scored and cleaned."""
    rows = [f'{x:.3f},{"a>b>c" if x > 0 else "c>a, c>b"}' for x in rng.standard_normal(30)]
    rows[4] = '0.5,"a>b, b>c, c>a"'
    quoted = [row if '"' in row else row.replace(",", ',"', 1) + '"' for row in rows]
    (here / "table.csv").write_text("\n".join(["x,y", *quoted]))
    said = infimum("fit", "table.csv", "-t", "y", *KERNEL, code=1)
    assert all(word in said for word in ("line 6", "majority", "weigh"))
    for command in ("fit", "clean", "report"):
        found = as_json(command, "table.csv", "-t", "y", *KERNEL, "--contradictions", "weigh")
        assert found["contradictory"] == 1
    assert as_json("score", "model.skops", "table.csv")["agreement"] > 0.8
    assert "1 of 30 rows contradict themselves" in infimum(
        "fit", "table.csv", "-t", "y", *KERNEL, "--contradictions", "majority"
    )


def test_rankings_of_many_items(infimum, here):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 2))
    rows = ["u,v,order"]
    for x in X:
        some = rng.choice(140, 6, replace=False)
        some = some[np.argsort(-x[0] * some)]
        rows.append(f"{x[0]},{x[1]},{'>'.join(f'i{j:03}' for j in some)}")
    (here / "train.csv").write_text("\n".join(rows[:61]))
    (here / "test.csv").write_text("\n".join([rows[0], *rows[61:]]))
    infimum("fit", "train.csv", "-t", "order")
    infimum("predict", "model.skops", "test.csv", "--out", "out.csv")
    infimum("score", "model.skops", "test.csv")
    assert len(table(here / "out.csv")) == 20
