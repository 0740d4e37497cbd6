"""Runs scripts in real processes over the real gloo, for tests to compare with."""

import json
import pathlib
import select
import subprocess
import sys
import tempfile

PATIENCE = 200.0
"""Seconds before a rank that hangs in gloo is killed."""


class RealRanks:
    """A process that has imported PyTorch; each run is a fork of it."""

    def __init__(self):
        program = pathlib.Path(__file__).resolve().parent / "gloo.py"
        self.launcher = subprocess.Popen([sys.executable, "-B", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, folder, words):
        """How a run of `words` (options, script and its arguments) in `folder` ended: exit code and output."""
        words = list(map(str, words))
        with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as err:
            asked = {"words": words, "folder": str(folder), "out": out.name, "err": err.name}
            print(json.dumps(asked), file=self.launcher.stdin, flush=True)
            if not select.select([self.launcher.stdout], [], [], PATIENCE)[0]:
                self.launcher.kill()
                raise TimeoutError(f"{words} over gloo does not end")
            return subprocess.CompletedProcess(words, int(self.launcher.stdout.readline()), out.read(), err.read())

    def end(self):
        self.launcher.stdin.close()
        self.launcher.wait()
