"""The exceptions of ndsim.

Those of a run that ended early say which rank it was, and carry the result up to there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._ndsim import Result


class Error(Exception):
    """The base of all exceptions of ndsim."""

    rank: int | None = None
    """The rank that ended the run; None: no single rank, or no run."""
    signal: int = 0
    """The signal that ended the rank or the run; 0: none."""
    result: Result | None = None
    """The run as far as it came; None: there was none."""


class UsageError(Error, ValueError):
    """An option or a file asks for something impossible."""


class OutputError(Error, OSError):
    """A file could not be written."""


class ProgramError(Error):
    """The program of a rank is wrong: an argument that cannot be, or an operation that has no price."""


class MismatchError(ProgramError):
    """Two ranks mean different things: sizes, data, or collectives that disagree."""


class DeadlockError(ProgramError):
    """Some ranks wait for what never comes."""


class RankDied(Error):
    """The process of a rank was killed, or its program raised an exception."""


class RankHung(Error):
    """A rank ran its own code for too long without an operation."""


class MachineLimit(Error):
    """This machine cannot do it: too many processes, too little memory."""


class Interrupted(Error):
    """A signal ended the run."""


def fault_of(result: Result) -> Error:
    """The exception that stands for the fault of a run."""
    fault = result.fault
    assert fault is not None
    error: Error = globals()[fault.kind](fault.message)
    error.rank = fault.rank if fault.rank >= 0 else None
    error.signal = fault.signal
    error.result = result
    return error
