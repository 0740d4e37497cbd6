"""Scripts in real processes over the real gloo, for tests to compare with."""

import functools
import json
import pathlib
import select
import subprocess
import sys
import tempfile

PATIENCE = 200.0
"""Seconds: a rank that hangs in gloo does not outlive it."""


@functools.cache
def launcher():
    """One for all tests of this process, for it imports PyTorch. It ends when its standard input does."""
    program = pathlib.Path(__file__).resolve().parent / "gloo.py"
    return subprocess.Popen([sys.executable, "-B", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def real_ranks(folder, words):
    """How a run of `words` (options, script and its arguments) in `folder` ended: exit code and what it printed."""
    process = launcher()
    words = list(map(str, words))
    with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as err:
        asked = {"words": words, "folder": str(folder), "out": out.name, "err": err.name}
        print(json.dumps(asked), file=process.stdin, flush=True)
        if not select.select([process.stdout], [], [], PATIENCE)[0]:
            process.kill()
            launcher.cache_clear()
            raise TimeoutError(f"{words} over gloo does not end")
        return subprocess.CompletedProcess(words, int(process.stdout.readline()), out.read(), err.read())
