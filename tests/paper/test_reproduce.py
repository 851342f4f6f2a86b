"""Reproducing: what is kept and what is computed again, faults of disk and process, the page, and the command."""

import ast
import errno
import html.parser
import json
import os
import pickle
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from typer.testing import CliRunner

import infimum
from infimum import InfimumWarning
from infimum.cli import app
from infimum.data.files import PART
from infimum.paper import base, report, runner, store
from infimum.paper import registry as paper
from slow_experiment import Slow

TASKS = 6


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def computed(marks: Path) -> list[int]:
    return [int(k) for k in marks.read_text().split()] if marks.exists() else []


def cached(folder: Path) -> list[Path]:
    return [store.file_of(folder, Slow(), {"k": k}) for k in range(TASKS)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict[str, bytes]:
    """The files of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    runner.reproduce(Slow(), folder)
    return contents(folder)


def start(out: Path, marks: Path, before: str = "") -> subprocess.Popen:
    """The experiment in a process of its own, after the line `before`."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "import os, signal, stat\nfrom slow_experiment import Slow\nfrom infimum.paper.registry import reproduce\n"
        f"{before}\nreproduce(Slow(), {str(out)!r}, data={str(marks)!r})"
    )
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)


# the folders are probed by writes 1 and 2, the tasks are writes 3 to 8, then table and pictures
@pytest.mark.parametrize("write, finished", [(1, 0), (6, 3), (11, 6)])
def test_a_run_killed_while_writing_goes_on_and_leaves_the_same_files(tmp_path, whole, write, finished):
    out, marks = tmp_path / "out", tmp_path / "marks"
    die = (
        f"left = iter(range({write - 1}, -1, -1)); sync = os.fsync\n"
        "def fsync(file):\n"
        "    if stat.S_ISDIR(os.fstat(file).st_mode) or next(left):\n"
        "        return sync(file)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "os.fsync = fsync"
    )
    process = start(out, marks, die)
    assert process.wait() == -signal.SIGKILL, process.stderr.read()
    assert len(list(out.rglob(f"*{PART}"))) == 1
    assert sum(file.exists() for file in cached(out)) == finished
    runner.reproduce(Slow(), out, data=str(marks))
    assert contents(out) == whole
    # the task that was being written is computed twice, the finished ones once
    assert len(computed(marks)) == TASKS + (3 <= write <= 8)


def test_two_runs_at_a_time_in_one_folder_do_not_spoil_each_other(tmp_path, whole):
    out = tmp_path / "out"
    for process in [start(out, tmp_path / "marks") for _ in range(2)]:
        _, error = process.communicate()
        assert process.returncode == 0, error
    assert contents(out) == whole


def test_a_finished_run_is_not_redone_unless_asked(tmp_path, whole):
    marks, seen = tmp_path / "marks", []
    out = tmp_path / "out"
    for jobs in (1, 2):
        runner.reproduce(Slow(), out, data=str(marks), jobs=jobs, progress=lambda *done: seen.append(done))
    assert len(computed(marks)) == TASKS
    assert seen == [(k, TASKS) for k in range(TASKS + 1)] + [(TASKS, TASKS)]
    runner.reproduce(Slow(), out, data=str(marks), fresh=True)
    assert len(computed(marks)) == 2 * TASKS
    assert contents(out) == whole


def test_two_jobs_give_the_files_of_one(tmp_path, whole):
    runner.reproduce(Slow(), tmp_path, jobs=2)
    assert contents(tmp_path) == whole


def test_the_key_is_name_version_task_and_release(monkeypatch):
    def key(**changes) -> str:
        return store.key(type("Other", (Slow,), changes)(), {"k": 0})

    first = store.key(Slow(), {"k": 0})
    assert json.loads(first) == {"experiment": "slow", "version": 1, "infimum": infimum.__version__, "task": {"k": 0}}
    # code, texts and drawing are not part of it, what is declared is
    assert key(draw=None, run=None, caption="Other.", title="Other") == first
    assert len({first, key(name="other"), key(version=2), store.key(Slow(), {"k": 1})}) == 4
    monkeypatch.setattr(store, "__version__", "99.0")
    assert store.key(Slow(), {"k": 0}) != first


def test_another_version_of_an_experiment_is_computed_and_the_old_rows_stay(tmp_path):
    marks = tmp_path / "marks"
    runner.reproduce(Slow(), tmp_path, data=str(marks))
    runner.reproduce(type("Other", (Slow,), {"version": 2})(), tmp_path, data=str(marks))
    assert len(computed(marks)) == 2 * TASKS
    runner.reproduce(Slow(), tmp_path, data=str(marks))
    assert len(computed(marks)) == 2 * TASKS


def test_rows_say_what_they_were_made_with_not_what_reads_them(tmp_path, monkeypatch):
    runner.reproduce(Slow(), tmp_path)
    made_with = store.versions()
    monkeypatch.setattr(store, "versions", lambda: "later")
    cached(tmp_path)[2].unlink()
    frame = runner.reproduce(Slow(), tmp_path)
    assert frame.groupby("parameter")["versions"].first().tolist() == [made_with] * 2 + ["later"] + [made_with] * 3


def first_rows(content: bytes, n: int) -> bytes:
    kept = json.loads(content)
    return json.dumps(kept | {"rows": kept["rows"][:n]}).encode()


# what becomes of a file with this content, beside that of another task
DAMAGES = {
    "empty": lambda content, other: b"",
    "cut short": lambda content, other: content[: len(content) // 2],
    "no rows": lambda content, other: b"[]",
    "no rows, in form": lambda content, other: first_rows(content, 0),
    "one row less": lambda content, other: first_rows(content, 1),
    "another task": lambda content, other: other,
    "a number": lambda content, other: b"3",
    "zeros": lambda content, other: bytes(len(content)),
    "not text": lambda content, other: b"\xff\xfe" + content,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named_and_its_task_computed_again(tmp_path, whole, damage):
    out, marks = tmp_path / "out", tmp_path / "marks"
    runner.reproduce(Slow(), out)
    _, file, other, *_ = cached(out)
    spoilt = DAMAGES[damage](file.read_bytes(), other.read_bytes())
    assert spoilt != file.read_bytes()
    file.write_bytes(spoilt)
    assert runner.collect(Slow(), out, False) is None
    with pytest.warns(InfimumWarning, match=rf"{file.name} .*\. The task is computed again") as caught:
        runner.reproduce(Slow(), out, data=str(marks))
    assert [str(each.filename) for each in caught] == [__file__]
    assert computed(marks) == [1]
    assert contents(out) == whole


def test_a_task_without_rows_is_refused(tmp_path):
    empty = type("Empty", (Slow,), {"run": lambda self, task, data: []})()
    with pytest.raises(ValueError, match=r"The task {'k': 0} of the experiment slow returned no rows"):
        runner.reproduce(empty, tmp_path)
    assert list((tmp_path / ".cache").iterdir()) == []


@pytest.mark.parametrize(
    "code, write, finished",
    [(errno.EROFS, 1, 0), (errno.ENOSPC, 2, 0), (errno.ENOSPC, 5, 2), (errno.EIO, 9, 6), (errno.ENOSPC, 11, 6)],
)
def test_a_disk_that_fails_keeps_what_was_finished(tmp_path, monkeypatch, whole, code, write, finished):
    out, marks = tmp_path / "out", tmp_path / "marks"
    left, sync = iter(range(write - 1, -1, -1)), os.fsync

    def fsync(file):
        if not stat.S_ISDIR(os.fstat(file).st_mode) and not next(left):
            raise OSError(code, os.strerror(code))
        sync(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(store.CannotWrite, match=rf"cannot be written \({os.strerror(code)}\)\. What was") as caught:
            runner.reproduce(Slow(), out, data=str(marks))
    assert "probe" not in str(caught.value)
    assert not list(out.rglob(f"*{PART}"))
    assert sum(file.exists() for file in cached(out)) == finished
    assert len(computed(marks)) == min(finished + (write > 2), TASKS)
    runner.reproduce(Slow(), out, data=str(marks))
    assert contents(out) == whole


def test_what_was_there_stays_when_the_new_cannot_be_written_or_drawn(tmp_path, monkeypatch):
    runner.reproduce(Slow(), tmp_path)
    before = contents(tmp_path)
    monkeypatch.setattr(Slow, "draw", lambda self, frame: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        runner.reproduce(type("Other", (Slow,), {"version": 2})(), tmp_path)
    after = contents(tmp_path)
    assert {name: after[name] for name in before} == before


def test_a_file_in_place_of_the_folder_is_said_before_any_work(tmp_path):
    marks = tmp_path / "marks"
    (tmp_path / "file").write_text("")
    with pytest.raises(store.CannotWrite, match=r"file.out cannot be written \(Not a directory\)") as caught:
        runner.reproduce(Slow(), tmp_path / "file" / "out", data=str(marks))
    assert computed(marks) == []
    # it also comes back from a worker
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_files_can_be_read_by_those_whom_the_umask_lets(tmp_path):
    before = os.umask(0o022)
    try:
        store.write(tmp_path / "file", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["../slow", "a/b", "a\\b", "", ".", ".hidden", "a\0b"])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"must not contain a slash or begin with a dot. Got"):
        runner.reproduce(type("Other", (Slow,), {"name": name})(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


class Page(html.parser.HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str, attribute: str) -> list[str]:
        return [attributes[attribute] for name, attributes in self.tags if name == tag and attribute in attributes]


HOSTILE = [
    "a\"onclick='alert(1)'><b>", "x onclick=alert(1)", "<script>alert(1)<script>", "&lt;&#34;", "%22><i>", "a b'c\"d",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_every_text_of_the_index_is_escaped(tmp_path, name):
    class Hostile(Slow):
        title = place = caption = differs = f"{name}</h2></p><script>alert(1)</script>"

        def compare(self, frame):
            return [base.Comparison(self.title, self.title, self.title, None, self.title)]

    Hostile.name = name
    missing = type("Missing", (Hostile,), {"name": f"not {name}"})()
    runner.reproduce(Hostile(), tmp_path)
    page = Page(report.index([Hostile(), missing], tmp_path, False).read_text())
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "i"})
    # one bold text is ours
    assert [tag for tag, _ in page.tags].count("b") == 1
    assert not [attributes for _, attributes in page.tags if any(key.startswith("on") for key in attributes)]
    assert page.all("section", "id") == [name]
    links = page.all("a", "href")
    assert [unquote(link) for link in links] == [f"#{name}", f"{name}.csv", f"{name}.pdf"]
    assert all((tmp_path / unquote(link)).is_file() for link in links[1:])
    assert f"infimum reproduce {name} " in page.text
    assert f"(not {name}: not run yet)" in page.text
    assert page.text.count(Hostile.title) == 10
    assert page.all("img", "alt") == [Hostile.title]


def test_the_index_shows_disagreement_and_what_is_missing(tmp_path):
    class Wrong(Slow):
        name, title = "wrong", "Wrong & <so>"

        def compare(self, frame):
            return [base.Comparison("a", 1.0, 2.0, 0.1), base.Comparison("b", 1.0, 3.0, 0.1, claimed=False)]

    runner.reproduce(Wrong(), tmp_path)
    page = report.index([Wrong(), paper.by_name("signed")], tmp_path, False).read_text()
    assert "0 of 1 numbers agree" in page
    assert "differs as explained" in page
    assert "Wrong &amp; &lt;so&gt;" in page
    assert "signed: not run yet" in page
    assert f"Made with {store.versions()}." in page
    assert 'src="data:image/png;base64,' in page
    assert 'src="http' not in page


def test_command_lists_and_refuses(tmp_path):
    listed = CliRunner().invoke(app, ["reproduce", "--list"])
    assert listed.exit_code == 0
    assert all(name in listed.stdout for name in paper.NAMES)
    refused = CliRunner().invoke(app, ["reproduce", "nothing", "--out", str(tmp_path)])
    assert refused.exit_code == 2
    assert "There is no experiment 'nothing'. Names: pointwise" in refused.output.replace("\n", " ")


def test_command_reproduces(tmp_path):
    done = CliRunner().invoke(app, ["reproduce", "signed", "--out", str(tmp_path), "--quick"])
    assert done.exit_code == 0, done.output
    assert {"signed.csv", "signed.png", "signed.pdf", "index.html"} <= {p.name for p in tmp_path.iterdir()}
    (file,) = (tmp_path / ".cache").glob("signed-*.json")
    assert json.loads(file.read_text())["rows"][0]["exact"] == "1/2"
    # a file that holds [] once ended in half of the table and exit code 0
    before = contents(tmp_path)
    file.write_text("[]")
    with pytest.warns(InfimumWarning, match=f"{file.name} does not contain a task and its rows. The task is computed"):
        again = CliRunner().invoke(app, ["reproduce", "signed", "--out", str(tmp_path), "--quick"])
    assert again.exit_code == 0
    assert contents(tmp_path) == before


def command(*arguments: str, **more) -> subprocess.CompletedProcess:
    call = [sys.executable, "-c", "from infimum.cli import app; app()", "reproduce", "signed", *arguments]
    return subprocess.run(call, capture_output=True, text=True, **more)


def test_command_on_a_full_disk_is_one_sentence_and_goes_on_later(tmp_path):
    def little_room():  # files of at most 4 KiB: the rows fit, the picture does not
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))

    out = tmp_path / "out"
    run = command("--out", str(out), preexec_fn=little_room)
    assert run.returncode == 1
    assert run.stderr.startswith(f"{out / 'signed.png'} cannot be written (File too large). What was finished is kept:")
    assert run.stderr.count("\n") == 1
    assert {p.name for p in out.iterdir()} == {".cache", "signed.csv"}
    for folder in (out, tmp_path / "whole"):
        assert CliRunner().invoke(app, ["reproduce", "signed", "--out", str(folder)]).exit_code == 0
    assert contents(out) == contents(tmp_path / "whole")


def test_command_on_a_folder_that_cannot_be_is_one_sentence():
    run = command("--out", "/dev/null/results")
    assert run.returncode == 1
    assert run.stderr.startswith("/dev/null/results cannot be written (Not a directory).")
    assert run.stderr.count("\n") == 1


def test_command_says_where_data_were_looked_for(tmp_path, monkeypatch):
    def offline(*_, **__):
        raise OSError("offline")

    monkeypatch.setattr("pooch.HTTPDownloader.__call__", offline)
    none = tmp_path / "none"
    run = CliRunner().invoke(app, ["reproduce", "data-sets", "--out", str(tmp_path / "out"), "--data", str(none)])
    assert run.exit_code == 1
    assert "dna.scale is not at" in run.output.replace("\n", " ")
    assert not none.exists()


def test_command_without_its_extra():
    hide = "import sys; sys.modules['typer'] = None; import infimum.cli"
    run = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True)
    assert run.returncode == 1
    assert 'The command infimum requires the package typer. Install it with: pip install "infimum[cli,plot]"' in run.stderr  # noqa: E501


@pytest.mark.parametrize("module", ["infimum", "infimum.datasets"])
def test_importing_the_library_stays_light(module):
    slow = {"matplotlib", "typer", "pooch", "requests", "tqdm", "numba", "dask", "infimum.paper"}
    if module == "infimum":
        slow |= {"sklearn.cluster", "sklearn.ensemble", "sklearn.neighbors", "infimum.cli"}
    code = f"import sys, {module}; sys.exit(' '.join({slow} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stderr.strip() == ""


def imported(path: Path, root: Path) -> set[str]:
    """Full names of all that a file imports, wherever in it."""
    package = ("infimum", *path.relative_to(root).parts[:-1])
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return names


def test_the_paper_is_imported_by_the_command_alone():
    root = Path(infimum.__file__).parent
    files = [path for path in root.rglob("*.py") if (root / "paper") not in path.parents]
    of_paper = {path.relative_to(root).as_posix() for path in files if "infimum.paper" in imported(path, root)}
    assert of_paper == {"cli/reproduce.py"}
