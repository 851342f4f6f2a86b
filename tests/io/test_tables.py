"""Tables: cells as they stand, types kept, bad cells named by line, and the way back."""

import json
from functools import partial

import numpy as np
import pytest

from infimum import InputError, Not, PartialClassifier, PartialMultilabelClassifier, PartialRanker, PartialRegressor
from infimum.io import MeaningError, Records, _frames, read_table, write_doccano, write_table
from infimum.outputs import OUTPUT_TYPES


def test_csv_cells_are_the_text_that_stands_there(write):
    path = write("t.csv", "id,zip,n,r,flag,label\na,01234,1,1e3,yes,NA\nb,99999,,2,no,007\nc,1,3,.5,,\n")
    records = read_table(path, "label", id="id")
    assert records.y == ["NA", "007", None]
    assert records.ids == ["a", "b", "c"]
    assert records.data["zip"].to_list() == ["01234", "99999", "1"]  # one cell is no number as it is written
    assert records.data["n"].dropna().to_list() == [1, 3]
    assert str(records.data["n"].dtype) == "Int64"
    assert records.data["r"].to_list() == [1000.0, 2.0, 0.5]
    assert records.data["flag"].to_list()[:2] == ["yes", "no"]


def test_a_table_to_predict_for(write):
    records = read_table(write("t.csv", "x,z\n1,2\n"))
    assert records.y == [None]
    assert list(records.data.columns) == ["x", "z"]


def test_with_its_kind_text_becomes_objects(write):
    text = 'l,t,o,n\ncat|dog,+a -b,a>b>c,"[1,2.5]"\n!owl,-a,"a>{b,c}",3\nowl,,,1|3\n,+b,c>a,>=3\n'
    path = write("t.csv", text)
    kinds = {"labels": "l", "tags": "t", "ranking": "o", "number": "n"}
    y = {kind: read_table(path, column, kind=kind).y for kind, column in kinds.items()}
    assert read_table(path, "l", kind="labels").classes == ["cat", "dog", "owl"]
    assert y["labels"] == [{"cat", "dog"}, Not("owl"), "owl", None]
    assert y["tags"] == [{"a": True, "b": False}, {"a": False}, None, {"b": True}]
    assert y["ranking"] == [[("a", "b"), ("b", "c")], [("a", "b"), ("a", "c")], None, [("c", "a")]]
    assert y["number"] == [(1.0, 2.5), 3, {1, 3}, (3, float("inf"))]
    text = read_table(path, "l")
    assert text.y == ["cat|dog", "!owl", "owl", None]
    assert repr(text) == "<Records of text: 4 rows, 1 unlabelled; data: t, o, n>"
    assert text.frame()["y"].to_list()[:2] == ["cat|dog", "!owl"]
    with pytest.raises(ValueError, match=r"The output type of the target is unknown\. Read the table with kind="):
        write_doccano(path, text)


def test_tabs(write):
    assert read_table(write("t.tsv", "x\tlabel\n1\ta,b\n"), "label").y == ["a,b"]


@pytest.mark.parametrize(
    "kind, cells, message",
    [
        ("number", ["1", "[1,2]", "two"], r"line 4: cannot read 'two' as a number"),
        ("number", ["1", "[2,1]"], r"line 3: the lower bound is above the upper one"),
        ("ranking", ["a>b", "a>b, >a"], r"line 3: "),
        ("tags", ["+a", "+a -a"], r"line 3: the tag 'a' is both present and absent"),
        ("labels", ["a", "|"], r"line 3: an empty set of candidates"),
    ],
)
def test_cells_that_are_no_such_thing_are_named_by_line(write, kind, cells, message):
    text = "y\n" + "".join(f'"{cell}"\n' for cell in cells)
    with pytest.raises(ValueError, match=rf"(?s)1 record of t\.csv cannot be used\..*{message}"):
        read_table(write("t.csv", text), "y", kind=kind)


def test_labels_outside_the_classes_are_named_by_line(write):
    with pytest.raises(ValueError, match=r"(?s)line 3: unknown label 'kat'"):
        read_table(write("t.csv", "y\ncat\nkat\n"), "y", kind="labels", classes=["cat", "dog"])


def test_bounds_in_two_columns(write):
    path = write("t.csv", "low,high\n1,2\n3,\n,4.5\n,\n5,5\n")
    records = read_table(path, ("low", "high"), kind="number")
    assert records.y == [(1, 2), (3, None), (None, 4.5), None, 5]
    with pytest.raises(ValueError, match=r"line 3: the lower bound 2 is above the upper one 1"):
        read_table(write("t.csv", "low,high\n1,2\n2,1\n"), ("low", "high"), kind="number")
    with pytest.raises(ValueError, match=r"line 2: column 'low': expected a number, got 'x'"):
        read_table(write("t.csv", "low,high\nx,2\n"), ("low", "high"), kind="number")
    with pytest.raises(ValueError, match=r"Several target columns need kind="):
        read_table(path, ("low", "high"))


def test_columns_of_tags_ask_what_0_means(write):
    path = write("t.csv", "red,round\n1,0\n0,-1\n1,\n")
    with pytest.raises(MeaningError) as refused:
        read_table(path, ["red", "round"], kind="tags")
    assert (
        str(refused.value)
        == """\
t.csv does not specify whether 0 means no or unknown. The result of each choice for its rows:
  line 2: {'red': '1', 'round': '0'}
    unticked="no"       ->  {'red': True, 'round': False}
    unticked="unknown"  ->  {'red': True}
  line 3: {'red': '0', 'round': '-1'}
    unticked="no"       ->  {'red': False, 'round': False}
    unticked="unknown"  ->  {'round': False}
Choose one with unticked=…."""
    )
    no = read_table(path, ["red", "round"], kind="tags", unticked="no")
    assert no.y == [{"red": True, "round": False}, {"red": False, "round": False}, {"red": True}]
    assert read_table(write("u.csv", "red\ntrue\nfalse\n"), ["red"], kind="tags").y == [{"red": True}, {"red": False}]
    with pytest.raises(ValueError, match=r"line 2: column 'red': expected 1, 0, -1, true, false or nothing, got '2'"):
        read_table(write("u.csv", "red\n2\n"), ["red"], kind="tags")


def test_columns_of_ranks(write):
    path = write("t.csv", "a,b,c\n1,2,2\n2,1,\n")
    assert read_table(path, ["a", "b", "c"], kind="ranking").y == [[("a", "b"), ("a", "c")], [("b", "a")]]


def test_lists_in_cells_ask_what_they_mean(write):
    path = write("t.jsonl", [{"x": 1, "y": ["a", "b"]}, {"x": 2, "y": ["c"]}, {"x": 3, "y": None}])
    with pytest.raises(MeaningError, match=r"(?s)line 1: \['a', 'b'\].*meaning=\"order\""):
        read_table(path, "y")
    assert read_table(path, "y", meaning="one_of").y == [{"a", "b"}, "c", None]
    assert read_table(path, "y", meaning="order").y == [[("a", "b")], None, None]
    assert read_table(path, "y", meaning="known_tags").data["x"].to_list() == [1, 2, 3]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_frames_keep_their_types(tmp_path, library, suffix):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = polars.DataFrame({"n": [1, None], "y": [["a", "b"], ["a"]], "t": ["007", "NA"], "k": [3, 4]})
    path = tmp_path / f"t.{suffix}"
    if suffix == "parquet":
        frame.write_parquet(path)
    else:  # pyarrow cannot hand the newer text columns on to pandas
        frame.write_ipc(path, compat_level=polars.CompatLevel.oldest())
    records = read_table(path, "y", meaning="one_of", backend=library)
    assert records.y == [{"a", "b"}, "a"]
    assert records.data["t"].to_list() == ["007", "NA"]
    assert read_table(path, "k", backend=library).y == [3, 4]


def test_missing_columns_and_unknown_ends_are_named(write):
    with pytest.raises(ValueError, match=r"t\.csv has no column 'label'. Its columns are x, y"):
        read_table(write("t.csv", "x,y\n1,2\n"), "label")
    with pytest.raises(ValueError, match=r"the name of a table ends in \.csv, .*Got '\.xls'"):
        read_table("t.xls", "y")
    with pytest.raises(ValueError, match=r"kind must be one of 'labels'"):
        read_table(write("t.csv", "x,y\n1,2\n"), "y", kind="rank")


def test_without_a_frame_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_frames.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        ImportError, match=r"Reading records needs pandas or polars. Install it with: pip install pandas"
    ):
        _frames.frame_of([{"a": 1}])
    with pytest.raises(ImportError, match=r"needs polars. Install it with: pip install polars"):
        _frames.frame_of([{"a": 1}], "polars")
    monkeypatch.setattr(_frames.importlib.util, "find_spec", lambda name: name == "polars" or None)
    assert _frames.backend_of(None) == "polars"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_mixed_types_become_text(library):
    pytest.importorskip(library)
    rows = [{"a": 1, "b": {"x": 1}, "c": True, "d": 1}, {"a": "x", "b": [2], "c": None, "d": 2.5}]
    frame = _frames.frame_of(rows, library)
    assert frame["a"].to_list() == ["1", "x"]
    assert [json.loads(cell) for cell in frame["b"].to_list()] == [{"x": 1}, [2]]
    assert frame["d"].to_list() == [1.0, 2.5]
    assert _frames.rows_of_frame(frame)[1]["c"] is None
    assert _frames.rows_of_frame(frame)[0]["c"] is True


Y = {
    "labels": ["cat", {"cat", "dog"}, Not("owl"), None, "owl"],
    "tags": [{"red": True, "round": False}, {"round": True}, None, {"red": False}],
    "ranking": [[("a", "b"), ("b", "c")], [("a", "b"), ("a", "c")], None, [("c", "a")]],
    "number": [1, 2.5, (1, 4), {1, 3}, None, (3, None), [(-2, -1), (1, 2)]],
    "vector": [[1.0, 2.0], [(0.0, 1.0), 2.0], None],
    "mask": [[[1, 0, -1]], [[0, 0, 1]], None],
}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "feather"])
@pytest.mark.parametrize("kind", Y)
def test_write_table_and_read_table_round_trip(tmp_path, kind, suffix):
    y = Y[kind]
    records = Records(
        list(range(len(y))), _frames.frame_of([{"text": f'a, "{k}"\n', "k": k} for k in range(len(y))]), y, kind
    )
    path = tmp_path / f"t.{suffix}"
    write_table(path, records, target="label")
    back = read_table(path, "label", id="id", kind=kind)
    closed = [(3, float("inf")) if cell == (3, None) else cell for cell in y]
    assert back.y == closed
    space = OUTPUT_TYPES[kind].for_cells(y)
    space.fit(space.from_cells(y))
    assert repr(_sets(space.read(space.from_cells(back.y)))) == repr(_sets(space.read(space.from_cells(y))))
    assert back.data["text"].to_list() == records.data["text"].to_list()
    assert back.data["k"].to_list() == records.data["k"].to_list()


def _sets(sets):
    parts = {name: value for name, value in vars(sets).items() if isinstance(value, np.ndarray)}
    return {name: value.tolist() for name, value in parts.items()} | {"rows": np.asarray(sets).tolist()}


def test_frames_and_lists_are_written_too(tmp_path):
    write_table(tmp_path / "t.csv", [{"x": 1}, {"x": 2}], ["a", {"b", "c"}], target="label")
    assert (tmp_path / "t.csv").read_text() == "x,label\n1,a\n2,b|c\n"
    write_table(tmp_path / "t.csv", [{"x": 1}], id="row")
    assert (tmp_path / "t.csv").read_text() == "row,x\n0,1\n"
    with pytest.raises(ValueError, match=r"The data have a column 'x' already"):
        write_table(tmp_path / "t.csv", [{"x": 1}], ["a"], target="x")
    with pytest.raises(ValueError, match=r"y must have one entry for each of the 1 rows. Got 2"):
        write_table(tmp_path / "t.csv", [{"x": 1}], ["a", "b"])
    with pytest.raises(ValueError, match=r"(?s)row 0: the label 'a\|b' cannot be written as text"):
        write_table(tmp_path / "t.csv", [{"x": 1}], [{"a|b"}])
    records = Records([1], _frames.frame_of([{"id": 1}]), ["a"], "labels")
    with pytest.raises(ValueError, match=r"The data have a column 'id' already"):
        records.frame()
    assert records.frame(id="key")["y"].to_list() == ["a"]


def test_from_tables_to_models(write):
    head = "x,labels,tags,order,low,high\n"
    rows = [f"{k},{'a' if k < 5 else 'b|a' if k == 5 else 'b'},{'+r -s' if k < 5 else '-r +s'},"
            f"{'p>q' if k < 5 else 'q>p'},{k - 0.5},{k + 0.5}\n" for k in range(12)]  # fmt: skip
    path = write("t.csv", head + "".join(rows))
    X = read_table(path).data[["x"]].to_numpy(dtype=float)
    labels = read_table(path, "labels", kind="labels")
    assert PartialClassifier().fit(X, labels.y).predict([[0.0], [11.0]]).tolist() == ["a", "b"]
    tags = read_table(path, "tags", kind="tags")
    assert PartialMultilabelClassifier().fit(X, tags.y).predict([[0.0], [11.0]]).tolist() == [[1, -1], [-1, 1]]
    orders = read_table(path, "order", kind="ranking")
    assert PartialRanker().fit(X, orders.y).predict([[0.0], [11.0]]).tolist() == [["p", "q"], ["q", "p"]]
    bounds = read_table(path, ("low", "high"), kind="number")
    np.testing.assert_allclose(PartialRegressor().fit(X, bounds.y).predict([[6.0]]), [6.0], atol=0.6)


def test_read_table_vector_from_several_columns(write):
    path = write("t.csv", 'x,a,b\n0,1,2\n1,"[0,1]",\n2,,\n')
    assert read_table(path, ["a", "b"], kind="vector").y == [[1.0, 2.0], [(0.0, 1.0), None], None]


def test_read_table_mask_names_bad_lines(write):
    path = write("t.csv", 'x,y\n0,"[[1, 0]]"\n1,nothing\n')
    with pytest.raises(ValueError, match=r"(?s)1 record of t\.csv.*line 3: expected JSON"):
        read_table(path, "y", kind="mask")
    path = write("t.csv", "x,y\n0,nothing\n")
    with pytest.raises(ValueError, match=r"The shape of the masks is unknown"):
        read_table(path, "y", kind="mask")


def test_contradictory_comparisons_are_read_and_left_to_the_model(write):
    """All comparisons of a row that contradicts itself stay; the model decides what they count."""
    found = read_table(write("t.csv", 'x,y\n1,a>b\n2,"a>b, b>c, c>a"\n'), target="y", kind="ranking")
    assert sorted(found.y[1]) == [("a", "b"), ("b", "c"), ("c", "a")]
    with pytest.raises(InputError, match="a > b > c > a"):
        PartialRanker().fit(found.data, found.y)
    PartialRanker(contradictions="weigh").fit(found.data, found.y)


def test_a_meaning_splits_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x,y\n0,bar|home\n1,home\n2,\n3,"travel, far"\n')
    names = ["bar", "home", "travel, far"]
    read = partial(read_table, path, "y")
    all_of = read(meaning="all_of", unticked="no")
    assert all_of.kind == "tags"
    assert all_of.y[1:] == [dict(zip(names, flags)) if flags else None for flags in ((0, 1, 0), None, (0, 0, 1))]
    assert read(meaning="known_tags").y[0] == {"bar": True, "home": True}
    assert read(meaning="order", separator=",").y[3] == [("travel", "far")]
    assert read(meaning="order", separator=",", classes=names).y[3] is None
    assert read(meaning="one_of", separator=",").y == [{"bar", "home"}, "home", None, {"travel", "far"}]
    with pytest.raises(MeaningError, match='Got kind="number"'):
        read(meaning="one_of", kind="number")
