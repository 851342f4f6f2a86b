"""Kills, full disks and read-only folders: every command writes a complete file or none."""

import os
import random
import resource
import signal
import sys
import time
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from infimum.cli import app

from . import sources

CAMPAIGN = "INFIMUM_CAMPAIGN" in os.environ
NAMED = ("--weights", "kernel", "--principle", "infimum")
COMMANDS = {
    "fit": ["fit", "t.csv", "-t", "tags", *NAMED, "--out", "out.skops"],
    "predict": ["predict", "model.skops", "t.csv", "--out", "out.csv"],
    "clean": ["clean", "t.csv", "-t", "tags", "--weights", "kernel", "--out", "out.csv"],
    "report": ["report", "t.csv", "-t", "tags", *NAMED, "--out", "out.html"],
    "convert": ["convert", "export.json", "--from", "prodigy", "--skipped", "drop", "--out", "out.csv"],
}


@pytest.fixture
def files(here, infimum, undrawn) -> Path:
    sources.tags(here / "t.csv", 16)
    sources.prodigy(here / "export.json", 16)
    infimum("fit", "t.csv", "-t", "tags", *NAMED)
    return here


def child(arguments: list[str], before=lambda: None) -> int:
    """The command in a process of its own: its id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        sys.stdout = sys.stderr = Path("said").open("w", buffering=1)  # noqa: SIM115 : the process ends with it
        threadpool_limits(1)  # a fork has none of the threads that its parent's OpenMP waits for
        before()
        app(arguments, standalone_mode=True)
    except SystemExit as end:
        sys.stdout.flush()
        os._exit(int(end.code or 0))
    finally:
        os._exit(99)


def exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize("command", COMMANDS)
def test_killed_command_leaves_new_or_old_file(command, files):
    """A slow disk: the kill comes while the file is written, before or after its name changes over."""
    arguments = COMMANDS[command]
    out = files / arguments[-1]
    assert exit_code(child(arguments)) == 0, (files / "said").read_text()
    whole = out.read_bytes()
    draw, seen = random.Random(0), set()
    for _ in range(20 if CAMPAIGN else 2):
        out.write_bytes(b"the old file")
        ready, told = os.pipe()

        def slow(told=told):
            sync = os.fsync

            def late(handle):
                os.write(told, b".")
                time.sleep(0.15)
                sync(handle)

            os.fsync = late

        pid = child(arguments, slow)
        os.read(ready, 1)
        time.sleep(draw.random() * 0.3)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(ready)
        os.close(told)
        left = out.read_bytes()
        seen.add(left == b"the old file")
        assert left == b"the old file" or _is_whole(out, whole), f"{out.name} is half written after a kill"
    assert exit_code(child(arguments)) == 0
    assert _is_whole(out, whole)


def _is_whole(path: Path, whole: bytes) -> bool:
    if path.suffix != ".skops":  # an archive with the time in it
        return path.read_bytes() == whole
    from infimum.cli._models import load

    return load(path)[1]["kind"] == "tags"


def one_sentence(files: Path, code: int) -> str:
    said = (files / "said").read_text()
    assert "Traceback" not in said
    assert said.count("\n") == 1, said
    assert code == 4
    return said


@pytest.mark.parametrize("command", COMMANDS)
def test_full_disk_is_one_message_and_keeps_old_file(command, files):
    out = files / COMMANDS[command][-1]
    out.write_bytes(b"the old file")

    def little_room():  # a file beyond the limit is EFBIG once the signal is ignored, as a full disk is ENOSPC
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))

    said = one_sentence(files, exit_code(child(COMMANDS[command], little_room)))
    assert f"{out.name} cannot be written (File too large). An existing file is unchanged." in said
    assert out.read_bytes() == b"the old file"
    assert not [p for p in files.iterdir() if p.name.endswith(".infimum-part")]


@pytest.mark.parametrize("folder, why", [("none", "there is no folder"), ("/proc", "cannot be written"), ("t.csv", "")])
def test_unwritable_folder_is_one_message(folder, why, files):
    said = one_sentence(files, exit_code(child([*COMMANDS["predict"][:-1], f"{folder}/out.csv"])))
    assert why in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere; /proc above stands for it")
def test_read_only_folder_is_one_message(files):
    (files / "locked").mkdir(mode=0o500)
    said = one_sentence(files, exit_code(child([*COMMANDS["predict"][:-1], "locked/out.csv"])))
    assert "Permission denied" in said
