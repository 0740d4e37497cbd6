"""Fixtures that the tests of the Python package share."""

import os
import pathlib
import time

import ndsim
import pytest


def shared_memory():
    """The names in /dev/shm."""
    return sorted(os.listdir("/dev/shm"))


def abandoned(name):
    """Whether the shared memory is open in no living process: concurrent tests have their own for a while."""
    path = f"/dev/shm/{name}"
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            files = [os.readlink(file) for file in (process / "fd").iterdir()]
            if path in files or path in (process / "maps").read_text():
                return False
        except OSError:
            continue
    return os.path.exists(path)


def children():
    """The processes that this one has started and not reaped."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == os.getpid():
            found.append(int(status.parent.name))
    return found


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    """Checks that no process and no shared memory outlives its test."""
    running, before = children(), shared_memory()
    yield
    assert children() == running
    # Python's resource tracker cleans up after processes of concurrent tests a moment later.
    for _ in range(300):
        left = [name for name in shared_memory() if name not in before and abandoned(name)]
        if not left:
            break
        time.sleep(0.1)
    assert left == []


@pytest.fixture
def quiet():
    """launch() without the log."""

    def launch(ranks, program, *args, **options):
        return ndsim.launch(ranks, program, *args, on_log=None, **options)

    return launch


@pytest.fixture
def bin_dir():
    """The folder with the executables."""
    return pathlib.Path(os.environ["NDSIM_BIN_DIR"])
