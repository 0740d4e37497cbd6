"""PyTorch on simulated GPUs, for notebooks and programs: launch() runs a function as ranks, here() turns this process into one.
See docs/torch.md."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..torchrun.answer.run import Run
from ..torchrun.function.caller import launch

if TYPE_CHECKING:
    from ..torchrun.here import Here

__all__ = ["Run", "here", "launch"]


def here(machine: str = "dgx-h100", **options: Any) -> Here:
    """Make this process the only rank, let it see the simulated GPUs of one node, and import torch on them.

    From then on torch.cuda works as on the machine, and report() shows where the time has gone so far. The options are those of
    the command that concern a single rank: hollow=True, timeline=True, trace="run.json" (written by report()) and so on.

    Raises MachineLimit if torch is imported already.
    """
    # Imported here because it imports the door, which is next to this module.
    return importlib.import_module("ndsim.torchrun.here").begin({"machine": machine, **options})  # type: ignore[no-any-return]
