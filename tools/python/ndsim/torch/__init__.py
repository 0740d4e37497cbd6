"""PyTorch on simulated GPUs, for notebooks and programs: launch() runs a function as ranks, here() makes this process one.

docs/torch.md tells the story.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..torchrun.answer.run import Run
from ..torchrun.function.caller import launch

if TYPE_CHECKING:
    from ..torchrun.here import Here

__all__ = ["Run", "here", "launch"]


def here(machine: str = "dgx-h100", **options: Any) -> Here:
    """Make this process a rank, the only one, which sees the simulated GPUs of a node, and import torch on them.

    From here on torch.cuda works as on the machine, and report() says where the time went so far. Options are those of the command
    that concern one rank: hollow=True, timeline=True, trace="run.json" (written by report()) and so on.

    Raises MachineLimit where torch was imported before.
    """
    # What imports the door, which lies beside this, is imported when it is needed.
    return importlib.import_module("ndsim.torchrun.here").begin({"machine": machine, **options})  # type: ignore[no-any-return]
