"""Interrupts, kills, full disks and folders that cannot be written: nothing is lost, nothing is half done."""

import json
import os
import resource
import shutil
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from .faults import INTERRUPTS, KILLS, python

CAMPAIGN = "INFIMUM_CAMPAIGN" in os.environ
COMMAND = "import sys; from infimum.cli import app; app(sys.argv[1:])"


# labels and tags are fitted by the code that fits orders
@pytest.mark.parametrize("kind", ["orders", "numbers", "search", "default", *(["labels", "tags"] if CAMPAIGN else [])])
def test_interrupt_leaves_the_model_unchanged(kind):
    run = python(INTERRUPTS, kind, 20 if CAMPAIGN else 5 if kind == "default" else 12, 1)  # a choice takes a second
    assert run.returncode == 0, run.stderr[-2000:]
    assert int(run.stdout.split()[-1]) > 0, "no fit was interrupted"


def test_kill_leaves_whole_files_and_can_be_resumed(tmp_path):
    run = python(KILLS, tmp_path, 20 if CAMPAIGN else 3, 1)
    assert run.returncode == 0, run.stderr[-2000:]
    assert "killed" in run.stdout


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory) -> Path:
    """A folder of one small experiment, made once by the command itself."""
    out = tmp_path_factory.mktemp("reproduced")
    run = python(COMMAND, "reproduce", "signed", "--quick", "--out", out)
    assert run.returncode == 0, run.stderr[-2000:]
    return out


BROKEN = ["\x00\x00", '[{"method": 1}]']
BROKEN += ["", "[", "[]", "null", "{}", "[{}]"] if CAMPAIGN else []
AGAIN = """
import json, shutil, sys
from pathlib import Path
from typer.testing import CliRunner
from infimum.cli import app

reproduced, home, texts = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])
for k, text in enumerate(texts):
    out = home / str(k)
    shutil.copytree(reproduced, out)
    before = (out / "signed.csv").read_bytes()
    (out / "signed.csv").unlink()
    cached = {file: file.read_text() for file in (out / ".cache").glob("*.json")}
    assert cached
    for file in cached:
        file.write_text(text)
    run = CliRunner().invoke(app, ["reproduce", "signed", "--quick", "--out", str(out)])
    assert run.exit_code == 0, (text, run.output)
    assert (out / "signed.csv").read_bytes() == before, text
    for file, whole in cached.items():
        assert json.loads(file.read_text()) == json.loads(whole), text
print("again", len(texts))
"""


def test_broken_cache_files_are_computed_again(reproduced, tmp_path):
    """Empty, cut off, of another shape: the command, in one process for all of them."""
    run = python(AGAIN, reproduced, tmp_path, json.dumps(BROKEN))
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.split()[-2:] == ["again", str(len(BROKEN))]


def one_sentence(run) -> None:
    """An exit code and a sentence; no traceback."""
    said = run.stdout + run.stderr
    assert run.returncode != 0, said
    assert run.returncode > 0, f"died of signal {-run.returncode}"
    assert "Traceback" not in said, said[-1500:]
    assert len([line for line in said.splitlines() if line.strip(" ─│╭╮╰╯")]) <= 6, said[-1500:]


def test_a_full_disk_is_one_sentence_and_loses_nothing(reproduced, tmp_path):
    """Files may hold 2,000 bytes: the CSV fits, pictures do not."""
    out = tmp_path / "out"
    shutil.copytree(reproduced, out)
    before = {p.name: p.read_bytes() for p in out.iterdir() if p.is_file()}
    shutil.rmtree(out / ".cache")
    # a file beyond the limit is EFBIG once the signal is ignored, as a full disk is ENOSPC
    limited = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " + COMMAND
    run = python(
        limited, "reproduce", "signed", "--quick", "--out", out,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
    )  # fmt: skip
    one_sentence(run)
    assert {p.name: p.read_bytes() for p in out.iterdir() if p.is_file() and p.name in before} == before


FOLDERS = """
import json, sys
from typer.testing import CliRunner
from infimum.cli import app

for out in json.loads(sys.argv[1]):
    run = CliRunner().invoke(app, ["reproduce", "signed", "--quick", "--out", out])
    assert isinstance(run.exception, SystemExit), repr(run.exception)
    print(json.dumps([run.exit_code, run.output]))
"""


def test_folders_that_cannot_be_made_are_one_sentence(tmp_path):
    """A file in its place, a file on the way to it, and a folder of the kernel, in which not even root may write."""
    (tmp_path / "file").write_text("not a folder")
    outs = [str(tmp_path / "file"), str(tmp_path / "file" / "out")]
    outs += ["/proc/self/out"] if Path("/proc/self").is_dir() else []
    run = python(FOLDERS, json.dumps(outs))
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(found) == len(outs), run.stderr[-1500:]
    for code, said in found:
        one_sentence(SimpleNamespace(returncode=code, stdout=said, stderr=""))
    assert (tmp_path / "file").read_text() == "not a folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere: see the folder of the kernel above")
def test_a_read_only_folder_is_one_sentence(reproduced, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(reproduced, out)
    shutil.rmtree(out / ".cache")
    before = {p.name: p.read_bytes() for p in out.iterdir() if p.is_file()}
    out.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        one_sentence(python(COMMAND, "reproduce", "signed", "--quick", "--out", out))
    finally:
        out.chmod(stat.S_IRWXU)
    assert {p.name: p.read_bytes() for p in out.iterdir() if p.is_file()} == before


def test_names_of_experiments_are_escaped(tmp_path):
    code = """
import sys
from pathlib import Path
from slow_experiment import Slow
from infimum.paper import report, runner
class Bad(Slow):
    name = "<script>alert(1)</script>".replace("/", "")
    title = "<b>title</b>"
    caption = "<i>caption</i>"
    def tasks(self, quick):
        return [{"k": 0}]
out = Path(sys.argv[1])
page = report.index([Bad()], out, False).read_text()
assert "<script>alert" not in page, page[:2000]
assert "<b>title" not in page
"""
    run = python(code, tmp_path)
    assert run.returncode == 0, run.stderr[-1500:]
