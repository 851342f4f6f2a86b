"""The edges of sheets: empty columns and lines, repeated names, titles above the column names."""

import openpyxl
import pytest

from infimum import io
from infimum.data.errors import InfimumWarning


def test_empty_columns_and_last_lines_are_left_out(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;;label;;\n1;;cat;;\n2;;;;\n;;;;\n;;;;\n")
    records = io.read_table(path, "label")
    assert list(records.data.columns) == ["x"]
    assert records.y == ["cat", None]


def test_an_empty_line_between_others_stays_a_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,label\n1,cat\n,\n2,dog\n")
    assert io.read_table(path, "label").y == ["cat", None, "dog"]


def test_separators_at_the_end_of_lines_are_accepted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,label\n1,cat,\n2,dog,,\n")
    assert io.read_table(path, "label").y == ["cat", "dog"]


def test_a_line_without_its_last_cells_is_an_error_although_a_column_is_empty(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,,label\n1,,cat\n2,dog\n")
    with pytest.raises(ValueError, match="line 3: expected 3 cells, got 2"):  # the second column is not empty then
        io.read_table(path, "label")


def test_repeated_names_get_a_number_as_in_pandas(tmp_path):
    import pandas as pd

    path = tmp_path / "a.csv"
    path.write_text("g,g,g.1,label,g\n1,2,3,cat,4\n")
    with pytest.warns(InfimumWarning, match="'g'"):
        records = io.read_table(path, "label")
    assert list(records.data.columns) == ["g", "g.2", "g.1", "g.3"]
    assert set(records.data.columns) == {*pd.read_csv(path).columns} - {"label"}
    assert records.data.iloc[0].tolist() == [1, 2, 3, 4]


def workbook(path, lines):
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    book.save(path)
    return path


def test_column_names_below_a_banner_are_proposed_and_read(tmp_path):
    lines = [["Person", None, "Answer"], ["Age", "Region", "Favourite"], [30, "north", "film"], [40, "south", None]]
    path = workbook(tmp_path / "a.xlsx", [[*line, None] for line in lines])
    path = workbook(tmp_path / "a.xlsx", [["Person", None, None], *lines[1:]])
    with pytest.raises(ValueError, match=r"2 columns have no name in row 1.*row 2 .*\(Age, Region.*header=2"):
        io.read_table(path, "Favourite")
    records = io.read_table(path, "Favourite", header=2)
    assert list(records.data.columns) == ["Age", "Region"]
    assert records.y == ["film", None]
    assert records.places == ["a.xlsx, row 3", "a.xlsx, row 4"]


def test_titles_above_a_text_table_are_skipped(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('Survey, of 2025\n\nx;note;label\n1;"a\nb";cat\n2;c;dog\n')
    with pytest.raises(ValueError, match=r"line 3 contains the names \(x, note, label, …\)"):
        io.read_table(path, "label", sep=";")
    records = io.read_table(path, "label", header=3)
    assert records.y == ["cat", "dog"]
    assert records.places == ["a.csv, line 4", "a.csv, line 6"]
    with pytest.raises(ValueError, match="no line 9"):
        io.read_table(path, "label", header=9)


def test_the_first_column_may_have_no_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",x,label\na,1,cat\n")
    assert list(io.read_table(path, "label").data.columns) == ["", "x"]


def test_only_the_asterisk_is_a_wildcard_of_missing_cells(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("group,note,label\na,[x],cat\nb,x,?\nc,$5 per\tHOUR,???\n")
    records = io.read_table(path, "label", missing=["?", "[x]", "*per*hour"])
    assert records.y == ["cat", None, "???"]
    assert records.data["group"].tolist() == ["a", "b", "c"]
    assert [isinstance(cell, str) for cell in records.data["note"]] == [False, True, False]


def test_the_separator_that_excel_declares_is_used(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("sep=;\r\nx;label\r\n1,5;cat\r\n2,5;dog\r\n", encoding="utf-8-sig", newline="")
    records = io.read_table(path, "label", keep_text=True)
    assert records.y == ["cat", "dog"]
    assert records.data["x"].tolist() == ["1,5", "2,5"]
    assert records.places == ["a.csv, line 3", "a.csv, line 4"]


def test_other_sheets_of_a_workbook_are_named(tmp_path):
    path = workbook(tmp_path / "a.xlsx", [["x", "label"], [1, "cat"]])
    book = openpyxl.load_workbook(path)
    book.create_sheet("2024").append(["x"])
    book.save(path)
    with pytest.warns(InfimumWarning, match="the first sheet, 'Sheet', is read. The others are not: '2024'"):
        assert io.read_table(path, "label").y == ["cat"]
