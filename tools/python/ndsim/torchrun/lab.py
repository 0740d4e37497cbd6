"""Plays PyTorch scripts in the cases of a lab, for `ndsim lab check`.

Each play is a fork of this process, which imports PyTorch once. A rank reports the values that its script leaves in `results`,
and the collectives that it called.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterable
from typing import Any

from .. import _ndsim
from .._errors import Error, ProgramError
from .._rank import flush
from . import rank as ranks
from . import from_torch, lab_gap, simulated
from .__main__ import DEADLOCK, complain, exit_code_of
from .launch import explain, start
from .options import Options
from .refusals import Refused

FORM = ".form"
"""The ending of a file that is given as a script and holds the JSON {"starter": TEXT, "gap": PACKED}."""

PATIENCE = 20.0
"""A rank counts as hung after this many seconds without a simulated operation."""


class Play:
    """One script in one case of a lab."""

    def __init__(self, script: str, case: dict[str, Any], folder: str, into: str, is_silent: bool) -> None:
        self.script = script
        self.case = case
        self.into = into
        self.is_silent = is_silent
        self.given = os.path.join(folder, os.path.basename(into) + "-case.json")

    def fork(self) -> int:
        """Start the play as a process of its own."""
        flush()
        process = os.fork()
        if process == 0:
            os._exit(self.be_process())
        return process

    def be_process(self) -> int:
        """Play. Returns the exit code."""
        if self.is_silent:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        try:
            self.run()
        except Error as error:
            complain(error)
            return exit_code_of(error)
        except Exception:
            traceback.print_exc()
            return 1
        finally:
            flush()
        return 0

    def run(self) -> None:
        with open(self.given, "w", encoding="utf-8") as file:
            json.dump({"cases": [self.case]}, file)
        options = Options(
            script=self.script,
            arguments=(self.given,),
            nproc=self.case["ranks"],
            machine=self.case["costs"]["machine"],
            hollow=self.case["costs"].get("hollow", False),
            watchdog=PATIENCE,
            fault=";".join(self.case.get("faults", [])),
            timeline=True,
        )
        setting = ranks.Setting(options, start.machine_of(options))
        simulated.open_door(options.machine, hollow=options.hollow)
        from_torch.seed(0)
        ranks.prepare(setting)

        def keep(result: _ndsim.Result, words: Any, explanation: str) -> None:
            refused = [why for _, why in words.told("refused")]
            with open(self.into, "w", encoding="utf-8") as file:
                file.write(_ndsim.lab_record(result, refused[0] if refused else explanation, starter.waiting))

        starter = start.Starter(setting, keep)
        try:
            starter.start(self.case["ranks"], lambda rank: be_graded(options), as_torchrun=True)
        except (start.Ended, Refused):
            pass  # The record says so.


def be_graded(options: Options) -> None:
    """Run the script as one rank, and report everything that is graded."""
    rank = ranks.this_rank()
    assert rank is not None
    # PyTorch's own warnings are not about the learner's lines.
    warnings.filterwarnings("ignore", module=r"torch\.")
    try:
        left = run_form(options) if options.script.endswith(FORM) else start.run_script(options)
    except NotImplementedError as gap:
        frames = [frame for frame, _ in traceback.walk_tb(gap.__traceback__)]
        if frames[-1].f_code.co_filename == options.script:
            # The gap where the learner's lines belong.
            lines = [line for frame, line in traceback.walk_tb(gap.__traceback__) if frame is frames[-1]]
            rank.gpu.report(_ndsim.gap_report(), lines[-1])
            raise ProgramError(f"{explain.short(options.script)}:{lines[-1]}: nothing is written here yet: {gap}") from None
        raise
    for name, values in left.get("results", {}).items():
        rank.gpu.report(name, numbers_of(values))
    rank.gpu.report("peak bytes", simulated.most_allocated())
    rank.gpu.report("collectives", [number for each in rank.gpus.collectives() for number in each])


def run_form(options: Options) -> dict[str, Any]:
    """Like start.run_script, for a form. No file has the program's text."""
    sys.argv = [options.script, *options.arguments]
    with open(options.script, encoding="utf-8") as file:
        form = json.load(file)
    left = {"__name__": "__main__"}
    exec(lab_gap.filled(form["starter"], form["gap"], options.script), left)
    return left


def numbers_of(values: Any) -> list[float]:
    """A number, a list or a tensor in the form GPU.report takes."""
    if hasattr(values, "tolist"):
        values = values.flatten().tolist()
    return [float(value) for value in (values if isinstance(values, Iterable) else [values])]


def play_all(plays: Iterable[Play]) -> None:
    """Play them, as many at a time as there are processors. A play that fails has no record."""
    running = 0
    for each in plays:
        if running == (os.cpu_count() or 1):
            os.wait()
            running -= 1
        each.fork()
        running += 1
    for _ in range(running):
        os.wait()


def read_record(file: str) -> Any:
    """None if that play failed."""
    if not os.path.exists(file):
        return None
    with open(file, encoding="utf-8") as text:
        return json.load(text)["records"][0]


def may_be_mistaken(file: str, reference: str) -> bool:
    """Whether a play's result differs from the reference in a way that a mistake explains: no known mistake raises an exception."""
    theirs, right = read_record(file), read_record(reference)
    if theirs is None or right is None:
        return False
    ended = theirs["fault"] is None or theirs["fault"]["failure"] == DEADLOCK
    return ended and any(theirs[part] != right[part] for part in ("totals", "reports", "fault"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="ndsim.torchrun.lab", description="Plays PyTorch scripts in the cases of a lab.")
    parser.add_argument("--play", metavar="FILE", required=True, help="the cases")
    parser.add_argument("--into", metavar="NAME", required=True, help="records: NAME-SCRIPT-CASE, both counted from 0")
    parser.add_argument("script", help="the learner's")
    parser.add_argument("reference", nargs="?", help="the script to compare with")
    parser.add_argument("mistaken", nargs="*", help="played only if the learner's results differ")
    asked = parser.parse_args()
    with open(asked.play, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    try:
        simulated.open_door(cases[0]["costs"]["machine"], hollow=False)
        from_torch.import_torch()
    except Error as error:
        complain(error)
        return exit_code_of(error)
    counted = range(len(cases))
    scripts = [asked.script, *([asked.reference] if asked.reference else []), *asked.mistaken]

    def record(script: int, case: int) -> str:
        return f"{asked.into}-{script}-{case}"

    with tempfile.TemporaryDirectory(prefix="ndsim-lab-") as folder:

        def play(chosen: range) -> None:
            pairs = itertools.product(chosen, counted)
            play_all(Play(scripts[at], cases[case], folder, record(at, case), at + case > 0) for at, case in pairs)

        first = range(min(len(scripts), 2))
        play(first)
        if any(may_be_mistaken(record(0, case), record(1, case)) for case in counted):
            play(range(2, len(scripts)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
