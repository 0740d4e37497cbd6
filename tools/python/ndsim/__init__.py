"""ndsim: parallel training of neural networks, simulated, with real processes as ranks.

launch() runs a Python function of a GPU as many ranks; predict(), plan(), sweep(), memory(), goodput(), collective_time() and
hardware() answer what the commands of `ndsim` answer. See docs/python.md.
"""

from ._errors import (
    DeadlockError,
    Error,
    Interrupted,
    MachineLimit,
    MismatchError,
    OutputError,
    ProgramError,
    RankDied,
    RankHung,
    UsageError,
)
from ._launch import launch
from ._ndsim import GPU, Arrival, Fault, Group, Handle, LogLine, Mesh, RankTotals, Result
from ._ndsim import __version__ as __version__
from ._questions import collective_time, goodput, hardware, memory, plan, predict, sweep

__all__ = [
    "GPU",
    "Arrival",
    "DeadlockError",
    "Error",
    "Fault",
    "Group",
    "Handle",
    "Interrupted",
    "LogLine",
    "MachineLimit",
    "Mesh",
    "MismatchError",
    "OutputError",
    "ProgramError",
    "RankDied",
    "RankHung",
    "RankTotals",
    "Result",
    "UsageError",
    "collective_time",
    "goodput",
    "hardware",
    "launch",
    "memory",
    "plan",
    "predict",
    "sweep",
]
