"""The exceptions of ndsim.

The exception of a run that ended early names the rank, if any, and carries the result so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._ndsim import Result


class Error(Exception):
    """The base class of all exceptions of ndsim."""

    rank: int | None = None
    """The rank that ended the run; None if there was no run or it was no single rank."""
    signal: int = 0
    """The signal that ended the rank or the run; 0 for none."""
    result: Result | None = None
    """The run as far as it got; None if there was none."""


class UsageError(Error, ValueError):
    """An option or a file asks for something impossible."""


class OutputError(Error, OSError):
    """A file could not be written."""


class ProgramError(Error):
    """The program of a rank is wrong: an invalid argument, or an operation without a price."""


class MismatchError(ProgramError):
    """Two ranks disagree: about sizes, data, or collectives."""


class DeadlockError(ProgramError):
    """Some ranks wait for something that never comes."""


class RankDied(Error):
    """The process of a rank was killed, or its program raised an exception."""


class RankHung(Error):
    """A rank ran its own code for too long without an operation."""


class MachineLimit(Error):
    """This machine cannot run it: too many processes, or too little memory."""


class Interrupted(Error):
    """A signal ended the run."""


def fault_of(result: Result) -> Error:
    """The exception that represents a run's fault."""
    fault = result.fault
    assert fault is not None
    error: Error = globals()[fault.kind](fault.message)
    error.rank = fault.rank if fault.rank >= 0 else None
    error.signal = fault.signal
    error.result = result
    return error
