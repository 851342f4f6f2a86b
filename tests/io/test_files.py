"""Files are written whole or not at all, and errors name file, line and column."""

import csv
import io
import os
import socket
import stat

import pytest

from infimum.data.files import atomic_write
from infimum.io import _files, read_table, write_table


def test_a_file_that_fails_on_the_way_leaves_the_old_one(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(TypeError), atomic_write(path) as file:
        file.writelines(["half of the n", 3])
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_the_new_file_is_seen_only_when_it_is_whole(tmp_path):
    path = tmp_path / "a.txt"
    with atomic_write(path) as file:
        file.write("new\r\n")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"new\r\n"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_rights_and_links_stay(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_bytes_are_written_and_other_modes_refused(tmp_path):
    with atomic_write(tmp_path / "b", "wb") as file:
        file.write(b"\x00\xff")
    assert (tmp_path / "b").read_bytes() == b"\x00\xff"
    with pytest.raises(ValueError, match=r"mode must be"), atomic_write(tmp_path / "b", "a"):
        pass


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"),
        atomic_write(tmp_path / "nowhere" / "a"),
    ):
        pass
    with pytest.raises(IsADirectoryError, match=r"it is a folder"), atomic_write(tmp_path):
        pass


def test_broken_json_lines_are_named_by_line_and_column(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n{"a": }\n')
    with pytest.raises(ValueError, match=r"a\.jsonl, line 3, column 7: invalid JSON"):
        _files.read_records(path)
    path.write_text('[{"a": 1},\n {"a" 2}]')
    with pytest.raises(ValueError, match=r"a\.jsonl, line 2, column 7: invalid JSON"):
        _files.read_records(path)


def test_records_are_objects(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"a": 1}, [2]]')
    with pytest.raises(ValueError, match=r"(?s)1 record of a\.json.*record 2: expected an object \{…\}, got \[2\]"):
        _files.read_records(path)
    with pytest.raises(TypeError, match=r"Expected a path or a list of records. Got int"):
        _files.read_records(3)


def test_line_separators_inside_a_text_break_no_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "one\u2028line"}\r\n{"a": "two"}', encoding="utf-8-sig")
    assert [record.value["a"] for record in _files.read_records(path)] == ["one\u2028line", "two"]


def test_csv_cells_are_what_stands_there(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes('id,text\r\n007,"two\r\nlines, ""quoted"""\r\nNA,\x85\r\n'.encode("utf-8-sig"))
    header, rows = _files.read_csv(path)
    assert header == ["id", "text"]
    assert [row.value for row in rows] == [
        {"id": "007", "text": 'two\r\nlines, "quoted"'},
        {"id": "NA", "text": "\x85"},
    ]
    assert [row.place for row in rows] == ["a.csv, line 2", "a.csv, line 4"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "a.csv is empty"),
        ("a,b\n1,2\n1,2,3\n1\n", r"(?s)2 records.*line 3: expected 2 cells, got 3.*line 4: expected 2 cells, got 1"),
        ('a,b\n1,"2\n', "line 2: invalid CSV"),
    ],
)
def test_broken_csv_is_named(tmp_path, text, message):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        _files.read_csv(path)


def test_a_huge_cell_is_read_and_the_limit_of_csv_restored(tmp_path):
    import csv

    path = tmp_path / "a.csv"
    path.write_text("a\n" + "x" * 300_000 + "\n")
    before = csv.field_size_limit(100_000)
    try:
        assert len(_files.read_csv(path)[1][0].value["a"]) == 300_000
        assert csv.field_size_limit() == 100_000
    finally:
        csv.field_size_limit(before)


def test_a_carriage_return_stays_in_its_cell(tmp_path):
    path = tmp_path / "a.csv"
    _files.write_csv(path, ["a", "b"], [["one\rline", "x"], ["two\r\nlines", None]])
    assert path.read_bytes() == b'a,b\n"one\rline",x\n"two\r\nlines",\n'
    assert [row.value["a"] for row in _files.read_csv(path)[1]] == ["one\rline", "two\r\nlines"]


def test_bytes_that_are_no_utf8_are_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\ncaf\xe9\n")
    with pytest.raises(ValueError, match=r"a\.csv is not UTF-8 text: byte 5 is 0xe9"):
        _files.read_csv(path)


def test_json_refuses_what_it_cannot_hold(tmp_path):
    with pytest.raises(ValueError, match=r"Out of range float"):
        _files.write_json(tmp_path / "a.json", {"a": float("nan")})
    with pytest.raises(TypeError, match=r"JSON cannot hold"):
        _files.write_json_lines(tmp_path / "a.jsonl", [{"a": object()}])
    assert os.listdir(tmp_path) == []


def test_importing_the_library_does_not_import_io():
    import subprocess
    import sys

    code = "import sys, infimum; sys.exit('infimum.io' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    os.chown(path, 1234, 2345)
    with atomic_write(path) as file:
        file.write("new")
    assert (path.read_text(), path.stat().st_uid, path.stat().st_gid) == ("new", 1234, 2345)


def test_sockets_and_folders_are_not_replaced(tmp_path, monkeypatch):
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # names of sockets are short
        server.bind("s.csv")
        for name, problem in (("s.csv", "a device or a socket"), (".", "it is a folder")):
            with pytest.raises(OSError, match=problem), atomic_write(name) as file:
                file.write("new")
        assert stat.S_ISSOCK(os.stat("s.csv").st_mode)


HOSTILE = ["=1+1", "@SUM(A1)", "-cmd|' /C calc'!A0", "+HYPERLINK(1)", "\t=1", "'=x", "''=x", "=", "-(1)"]
HARMLESS = ["-5", "+1e3", "+red -round", "-red", "'tis", "'", "", "a=b", "\u2212red", "- a"]


def test_cells_that_spreadsheets_run_are_escaped_and_read_back(tmp_path):
    rows = [{"=name": cell, "n": -5} for cell in (*HOSTILE, *HARMLESS)]
    write_table(tmp_path / "a.csv", rows)
    text = (tmp_path / "a.csv").read_text()
    cells = [row[0] for row in csv.reader(io.StringIO(text, newline=""))]
    assert cells == ["'=name", *(f"'{cell}" for cell in HOSTILE), *HARMLESS]
    back = read_table(tmp_path / "a.csv", keep_text=True).data
    assert [cell or "" for cell in back["=name"]] == [*HOSTILE, *HARMLESS]
    write_table(tmp_path / "b.csv", rows, escape=False)
    assert "\n=1+1,-5\n" in (tmp_path / "b.csv").read_text()
