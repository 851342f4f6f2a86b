"""Loaders, the registry and downloading."""

import hashlib
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from infimum import InfimumWarning, datasets
from infimum.datasets import _fetch, _registry, fetch
from infimum.datasets._registry import REGISTRY, DatasetEntry, checksums


def test_every_file_has_a_checksum_and_every_checksum_a_data_set():
    files = {file for entry in REGISTRY.values() for file in entry.files}
    assert files == set(checksums())
    assert all(len(digest) == 64 for digest in checksums().values())
    assert all(entry.home.startswith("http") and entry.licence for entry in REGISTRY.values())


def test_the_data_folder_holds_the_registered_versions(data_home):
    for name in datasets.list_datasets():  # a differing file would warn, and warnings of the library are errors here
        assert all(path.is_file() for path in fetch(name, data_home, download=False))


@pytest.mark.parametrize(
    "name, shape, classes, most",
    [("dna", (2000, 180), 3, 0.5255), ("svmguide2", (391, 20), 3, 0.565), ("segment", (2310, 19), 7, 1 / 7),
     ("vowel", (528, 10), 11, 1 / 11)],
)  # fmt: skip
def test_libsvm_has_the_characteristics_of_the_papers_table(data_home, name, shape, classes, most):
    bunch = datasets.load(f"libsvm/{name}", data_home=data_home)
    _, counts = np.unique(bunch.target, return_counts=True)
    assert bunch.data.shape == shape
    assert len(counts) == classes
    assert counts.max() / counts.sum() == pytest.approx(most, abs=5e-4)


def test_libsvm_subsets(data_home):
    assert datasets.load("libsvm/dna", subset="all", data_home=data_home).data.shape == (3186, 180)
    with pytest.raises(ValueError, match=r"subset of vowel must be one of \['train', 'all'\]. Got 'test'"):
        datasets.load("libsvm/vowel", subset="test", data_home=data_home)


@pytest.mark.parametrize("name, shape", [("scene", (2407, 294)), ("emotions", (593, 72))])
def test_mulan(data_home, name, shape):
    bunch = datasets.load(f"mulan/{name}", data_home=data_home)
    assert bunch.data.shape == shape
    assert bunch.target.shape == (shape[0], 6) == (shape[0], len(bunch.target_names))
    assert set(np.unique(bunch.target)) == {-1, 1}
    assert np.isfinite(bunch.data).all()
    train = datasets.load(f"mulan/{name}", subset="train", data_home=data_home)
    np.testing.assert_array_equal(train.target, bunch.target[: len(train.target)])
    if name == "scene":  # 1.074 tags a picture: Tsoumakas et al. (2011), table of MULAN's data sets
        assert (bunch.target > 0).sum(axis=1).mean() == pytest.approx(1.074, abs=5e-4)


@pytest.mark.parametrize("name, shape, size", [("lost", (1122, 108, 16), 2.23), ("MSRCv2", (1758, 48, 23), 3.16)])
def test_partial_labels(data_home, name, shape, size):
    bunch = datasets.load(f"partial-labels/{name}", data_home=data_home)
    assert bunch.data.shape == shape[:2]
    assert bunch.candidates.shape == (shape[0], shape[2])
    assert bunch.candidates.dtype == bool
    assert bunch.candidates.sum(axis=1).mean() == pytest.approx(size, abs=5e-3)
    assert bunch.candidates[np.arange(shape[0]), bunch.target].all()
    assert len(np.unique(bunch.target)) > 2


@pytest.mark.parametrize("name", datasets.list_datasets("label-ranking"))
def test_label_ranking_rows_are_permutations(data_home, name):
    bunch = datasets.load(name, data_home=data_home)
    n, m = bunch.target.shape
    np.testing.assert_array_equal(np.sort(bunch.target, axis=1), np.tile(np.arange(1, m + 1), (n, 1)))
    assert len(bunch.data) == n


@pytest.mark.parametrize("name", datasets.list_datasets("linear-ordering"))
def test_linear_ordering_optimum_lies_between_any_order_and_the_pairwise_bound(data_home, name):
    bunch = datasets.load(name, data_home=data_home)
    W = bunch.matrix
    above = np.triu(W, 1).sum()
    bound = np.triu(np.maximum(W, W.T), 1).sum()
    assert max(above, np.tril(W, -1).sum()) <= bunch.optimum <= bound


@pytest.mark.parametrize("name, shape", [("neuroblastoma.bac", (324, 252)), ("H3K4me3_TDH_immune_FPOP", (378, 28))])
def test_intervals(data_home, name, shape):
    bunch = datasets.load(f"intervals/{name}", data_home=data_home)
    assert bunch.data.shape == shape == (shape[0], len(bunch.feature_names))
    assert (bunch.target[:, 0] <= bunch.target[:, 1]).all()
    assert np.isinf(bunch.target).any()
    assert set(bunch.folds) == {1, 2, 3, 4, 5}


def test_ordinal_car_counts(data_home):
    bunch = datasets.load("ordinal/car", data_home=data_home)
    assert bunch.data.shape == (1728, 6)
    assert len(np.unique(bunch.data, axis=0)) == 1728
    assert np.bincount(bunch.target).tolist() == [1210, 384, 69, 65]
    assert (bunch.target[bunch.data[:, 5] == 0] == 0).all()  # a car of low safety is never acceptable


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A registered data set ``test/tiny`` whose home is a local HTTP server; gives the folder that is served."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    served = tmp_path / "served"
    served.mkdir()
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=served)) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{http.server_port}/"
        monkeypatch.setitem(REGISTRY, "test/tiny", DatasetEntry(("test/tiny.csv",), "http://home", "none", base))
        sums = {"test/tiny.csv": hashlib.sha256(b"1,2\n").hexdigest()}
        monkeypatch.setattr(_fetch, "checksums", lambda: sums)
        yield served
        http.shutdown()


def test_fetch_downloads_once(server, tmp_path):
    (server / "tiny.csv").write_bytes(b"1,2\n")
    (path,) = fetch("test/tiny", tmp_path / "home")
    assert path == tmp_path / "home" / "test" / "tiny.csv"
    assert path.read_bytes() == b"1,2\n"
    (server / "tiny.csv").unlink()
    assert fetch("test/tiny", tmp_path / "home") == (path,)


def test_fetch_refuses_another_file_and_keeps_nothing(server, tmp_path):
    (server / "tiny.csv").write_bytes(b"6,6\n")
    got, expected = (hashlib.sha256(content).hexdigest() for content in (b"6,6\n", b"1,2\n"))
    with pytest.raises(OSError, match=r"does not return the registered file: .* Nothing was kept") as caught:
        fetch("test/tiny", tmp_path / "deep" / "home")
    assert got in str(caught.value)
    assert expected in str(caught.value)
    assert not (tmp_path / "deep").exists()


def test_fetch_says_where_it_looked_and_where_to_get_it(server, tmp_path, monkeypatch):
    monkeypatch.setenv("INFIMUM_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError) as caught:
        fetch("test/tiny")
    message = str(caught.value)
    assert f"is not at {tmp_path / 'test' / 'tiny.csv'}." in message
    assert f"Downloading {REGISTRY['test/tiny'].base}tiny.csv failed (404" in message
    assert "INFIMUM_DATA" in message
    with pytest.raises(FileNotFoundError, match=r"Downloading is off: get it from http://127\.0\.0\.1"):
        fetch("test/tiny", download=False)
    with pytest.raises(FileNotFoundError, match=r"no direct address: get it from https://mulan\.sourceforge\.net"):
        fetch("mulan/scene", tmp_path)


def test_a_failed_download_leaves_no_folder_that_was_not_there(server, tmp_path):
    with pytest.raises(FileNotFoundError, match="failed"):
        fetch("test/tiny", tmp_path / "a" / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["served"]
    (tmp_path / "a" / "test").mkdir(parents=True)  # what the user made stays
    with pytest.raises(FileNotFoundError, match="failed"):
        fetch("test/tiny", tmp_path / "a")
    assert (tmp_path / "a" / "test").is_dir()


def test_an_interrupted_download_leaves_nothing(server, tmp_path, monkeypatch):
    def interrupted(self, url, output_file, pooch):
        Path(output_file).write_bytes(b"1,")
        raise KeyboardInterrupt

    monkeypatch.setattr("pooch.HTTPDownloader.__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch("test/tiny", tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_data_set_half_of_which_came_keeps_that_half(server, tmp_path, monkeypatch):
    both = REGISTRY["test/tiny"]
    two = DatasetEntry(("test/tiny.csv", "test/gone.csv"), both.home, "none", both.base)
    monkeypatch.setitem(REGISTRY, "test/two", two)
    monkeypatch.setitem(_fetch.checksums(), "test/gone.csv", "0" * 64)
    (server / "tiny.csv").write_bytes(b"1,2\n")
    with pytest.raises(FileNotFoundError, match=r"gone\.csv is not at"):
        fetch("test/two", tmp_path)
    assert [path.name for path in (tmp_path / "test").iterdir()] == ["tiny.csv"]


def test_a_folder_that_cannot_be_made_is_said(server, tmp_path):
    (tmp_path / "file").write_text("")
    (server / "tiny.csv").write_bytes(b"1,2\n")
    with pytest.raises(FileNotFoundError, match=r"is not at .*Downloading .* failed \(.*Not a directory"):
        fetch("test/tiny", tmp_path / "file")


def test_progress_is_shown_on_a_terminal_only(server, tmp_path, monkeypatch, capsys):
    (server / "tiny.csv").write_bytes(b"1,2\n")
    fetch("test/tiny", tmp_path / "log")
    assert "100%" not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    fetch("test/tiny", tmp_path / "terminal")
    shown = capsys.readouterr()
    assert "100%" in shown.err
    assert shown.out == ""


def test_without_pooch_only_downloading_is_refused(server, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(FileNotFoundError, match=r'needs the package pooch, pip install "infimum\[data\]"'):
        fetch("test/tiny", tmp_path / "home")
    assert not (tmp_path / "home").exists()
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "tiny.csv").write_bytes(b"1,2\n")
    assert fetch("test/tiny", tmp_path) == (tmp_path / "test" / "tiny.csv",)


def test_fetch_warns_about_another_version_in_the_folder(server, tmp_path):
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "tiny.csv").write_bytes(b"6,6\n")
    with pytest.warns(InfimumWarning, match=r"tiny\.csv differs from the registered version") as caught:
        fetch("test/tiny", tmp_path)
    assert caught[0].filename == __file__


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"There is no data set 'libsvm/dan'. Names: .*libsvm/dna"):
        datasets.load("libsvm/dan")


def test_data_folder_precedence(monkeypatch, tmp_path):
    monkeypatch.setenv("INFIMUM_DATA", str(tmp_path))
    assert datasets.data_folder("here") == Path("here")
    assert datasets.data_folder() == tmp_path
    monkeypatch.delenv("INFIMUM_DATA")
    assert datasets.data_folder() == Path.home() / "infimum_data"


def test_urls_are_the_home_folder_plus_the_file_name():
    assert _registry.REGISTRY["libsvm/vowel"].url("libsvm/vowel.scale").endswith("/datasets/multiclass/vowel.scale")
