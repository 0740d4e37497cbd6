"""What can be asked without a program: the answers of ndsim's commands, as dicts.

The options are those of the command, with underscores for hyphens; lists may be lists. The dict is what the command
prints with --json: `ndsim COMMAND --help` tells the options, `ndsim COMMAND --help columns` the keys. Options that
say what is shown, written or checked (--csv, --svg, --trace, --check …) change no answer, and are the command's alone.
"""

from __future__ import annotations

import json
from typing import Any

from . import _ndsim


def _answer(command: str, options: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(_ndsim.answer(command, options))
    return answer


def predict(**options: Any) -> dict[str, Any]:
    """How long a training step takes, what it needs, and why: `ndsim train`.

    predict(model="llama3-8b", machine="dgx-h100", gpus=64, tp=2)["step_seconds"]
    """
    return _answer("train", options)


def memory(**options: Any) -> dict[str, Any]:
    """What a GPU's memory holds in a training step, over time, and whether it fits: `ndsim memory`."""
    return _answer("memory", options)


def plan(**options: Any) -> dict[str, Any]:
    """The fastest or cheapest of all layouts that fit, and the flags it is launched with: `ndsim plan`.

    Any axis can be a number or a list: plan(model="llama3-8b", gpus=64, tp=[1, 2, 4]).
    """
    return _answer("plan", options)


def goodput(**options: Any) -> dict[str, Any]:
    """How much of weeks of training is effective, with failures, checkpoints and restarts: `ndsim goodput`.

    goodput(study="llama3-405b")["ettr"], goodput(gpus=1024, step_seconds=5, repair_hours=24, spares=2)["policies"]
    """
    return _answer("goodput", options)


def collective_time(kind: str, **options: Any) -> dict[str, Any]:
    """How long collectives take, by size and algorithm: `ndsim collective`.

    collective_time("all_reduce", ranks=64, topology="dgx-h100", sizes="1M")["rows"][0]["seconds"]
    collective_time("all_reduce", ranks=64, machine="dgx-h100", sizes="1M")["rows"][0]["busbw"]  # by NCCL's model
    """
    return _answer("collective", {"KIND": kind, **options})


def hardware(name: str | None = None) -> dict[str, Any]:
    """Machines and accelerators: a list of them, or every number of one with its source: `ndsim hardware`."""
    return _answer("hardware", {"NAME": name})
