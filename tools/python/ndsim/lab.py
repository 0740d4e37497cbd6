"""Labs in Python: a rank program with a gap that a learner fills, which `ndsim lab check` runs and grades."""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from . import _ndsim
from ._errors import ProgramError
from ._rank import be_rank, flush


class Given:
    """The numbers of a lab's case, by name, as attributes or as items: given.elements, given["elements"]."""

    def __init__(self, numbers: dict[str, float]) -> None:
        self._numbers = {name: int(number) if number == int(number) else number for name, number in numbers.items()}

    def __getitem__(self, name: str) -> Any:
        if name not in self._numbers:
            raise ProgramError(f'this lab gives no number "{name}"; it gives {", ".join(self._numbers)}')
        return self._numbers[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]


def gap(gpu: _ndsim.GPU, what: str) -> NoReturn:
    """Placeholder for a learner's lines: tells the grader which line is not written yet, and raises."""
    caller = sys._getframe(1)
    gpu.report(_ndsim.gap_report(), caller.f_lineno)
    where = f"{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}"
    raise ProgramError(f"{where}: nothing is written here yet: {what}")


# Same costs as gpu-py, the profile of the original.
_usual_costs = {
    "kind": "units",
    "compute.seconds_per_unit": 0.1,
    "network.latency_seconds": 0.05,
    "network.seconds_per_data_unit": 0.01,
}


def _play(of_numbers: Callable[[dict[str, float]], Any], file: str, name: str, cases: str) -> tuple[str, str, str]:
    """Play the cases with the program built from their numbers. Returns records, timelines, and explanations of faults."""
    flush()
    return _ndsim.play_lab(name, cases, of_numbers, file)


def explain(program: Callable[[_ndsim.GPU], Any], ranks: int = 2, *, blocking_sends: bool = False) -> str:
    """Run a function of a GPU as ``ranks`` ranks, at the costs of gpu-py, and return what goes wrong.

    The explanation refers to lines of the function's file, like that of `ndsim lab check`. An empty text means it ends well.
    """
    case = {"ranks": ranks, "costs": _usual_costs, "given": {}, "blocking_sends": blocking_sends}
    file = program.__code__.co_filename
    return _play(lambda _: functools.partial(be_rank, program, ()), file, "explain", json.dumps({"cases": [case]}))[2]


def run(program: Callable[[_ndsim.GPU, Given], Any]) -> NoReturn:
    """The main function of a lab's file: plays case.json and draws the timeline, or does what `ndsim lab` asks for."""
    parser = argparse.ArgumentParser(description="A lab's program: plays case.json and draws its timeline.")
    parser.add_argument("--play", default="case.json", metavar="FILE", help="the cases to play (case.json)")
    parser.add_argument("--into", metavar="FILE", help="write the records of the runs there, and draw nothing")
    parser.add_argument("--host", choices=["process", "fiber"], help="ranks in Python are processes")
    asked = parser.parse_args()
    with open(asked.play, encoding="utf-8") as file:
        cases = file.read()
    records, pictures, explanation = _play(
        lambda numbers: functools.partial(be_rank, program, (Given(numbers),)),
        program.__code__.co_filename,
        asked.play,
        cases,
    )
    if asked.into:
        with open(asked.into, "w", encoding="utf-8") as file:
            file.write(records)
        sys.exit(0)
    print(pictures, end="")
    print(explanation, end="", file=sys.stderr)
    faults = [record["fault"] for record in json.loads(records)["records"] if record["fault"]]
    sys.exit(faults[0]["failure"] if faults else 0)
