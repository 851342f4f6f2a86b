"""Readers return records, or raise ValueError, for exports with wrong parts, deep JSON and compressed files."""

import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from skops.io import dumps

from fuzz.exports import READERS, wrong_records
from infimum.cli._models import load
from infimum.data import limits, memory
from infimum.data.limits import gunzipped
from infimum.io import Records, read_argilla, read_doccano, read_label_studio, read_prodigy, read_table, read_votes


@pytest.mark.parametrize("tool", READERS)
def test_readers_explain_wrong_parts(tool, tmp_path):
    record, read = READERS[tool]
    assert isinstance(read(record, tmp_path), Records)
    for wrong in wrong_records(tool):
        try:
            read(wrong, tmp_path)
        except ValueError:
            pass
        except Exception as error:
            raise AssertionError(f"{wrong!r:.300}") from error


def test_argilla_responses_are_a_list_and_no_text():
    with pytest.raises(ValueError, match="expected lists of responses, users and statuses to 'a', got 'cat'"):
        read_argilla([{"id": 1, "a.responses": "cat"}], annotators="union")


@pytest.mark.parametrize("read", [read_label_studio, read_argilla, read_prodigy, read_doccano, read_votes])
@pytest.mark.parametrize("name, text", [("a.json", "[" * 100_000), ("a.jsonl", '{"a":' * 100_000)])
def test_deeply_nested_json_is_refused(read, name, text, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=rf"{name}.*: invalid JSON \(its lists and objects are nested too deeply"):
        read(tmp_path / name)


def test_integers_beyond_4300_digits_in_files(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([{"x": 1, "y": "a"}]).replace("1", "9" * 5000))
    with pytest.raises(ValueError, match=r"a.json: invalid JSON \(it contains an integer of more than 4300 digits\)"):
        read_table(tmp_path / "a.json", target="y")
    (tmp_path / "a.csv").write_text(f"x,y\n{'9' * 5000},a\n")
    assert read_table(tmp_path / "a.csv", target="y").y == ["a"]


def packed(content, name="all.jsonl"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(limits, "SMALL", 10_000)


def test_files_that_grow_too_much_are_refused_before_they_are_unpacked(tmp_path, small_limit):
    message = r"has [\d.e-]+ MB and more than [\d.e-]+ MB of content. Compressed files may contain at most 100 times"
    bomb = packed(b"[" + b"{}," * 1_000_000 + b"{}]")
    for name, data, read in (
        ("a.zip", bomb, read_doccano), ("a.csv.gz", gzip.compress(b"a" * 3_000_000), read_table),
        ("a.xlsx", bomb, read_table), ("a.skops", bomb, load),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=message):
            read(tmp_path / name)


def test_gzip_files_of_several_members_and_truncated_ones(small_limit):
    two = gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n") + b"\0\0"
    assert gunzipped("a.csv.gz", two) == b"a,b\n1,2\n"
    with pytest.raises(EOFError):
        gunzipped("a.csv.gz", two[:30])


def test_tables_that_have_no_room_in_memory_are_refused(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("a,b\n" + "1,2\n" * 1000)
    pd.DataFrame({"a": np.zeros(100_000)}).to_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr(memory, "available", lambda: 1e5)
    with pytest.raises(MemoryError, match=r"a\.csv, with about 2002 values, needs .* Split the file"):
        read_table(tmp_path / "a.csv")
    with pytest.raises(MemoryError, match=r"a\.parquet, with about 100000 values, needs"):
        read_table(tmp_path / "a.parquet")


def test_files_that_are_no_zip_files(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"abc")
    with pytest.raises(ValueError, match=r"a.zip is not a zip file"):
        read_doccano(tmp_path / "a.zip")
    schema = json.loads(zipfile.ZipFile(io.BytesIO(dumps([1]))).read("schema.json"))
    for text in ("[" * 100_000, json.dumps({**schema, "content": 5})):
        (tmp_path / "m.skops").write_bytes(packed(text, "schema.json"))
        with pytest.raises(ValueError, match=r"m.skops is not a model that `infimum fit` wrote"):
            load(tmp_path / "m.skops")
