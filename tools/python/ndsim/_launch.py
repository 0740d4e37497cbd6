"""ndsim.launch: a Python function as many ranks."""

from __future__ import annotations

import functools
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _ndsim
from ._errors import Interrupted, UsageError, fault_of
from ._rank import be_rank, flush


def log_to_standard_error(line: _ndsim.LogLine) -> None:
    """Write a line of the log, as C++ programs show it."""
    print(line, file=sys.stderr)


def notice(what: str) -> None:
    print(f"ndsim: {what}", file=sys.stderr)


def launch(
    ranks: int,
    program: Callable[..., Any],
    *args: Any,
    machine: str | None = None,
    profile: str | Mapping[str, Any] | None = None,
    host: str = "process",
    time_scale: float | None = None,
    watchdog: float = 30.0,
    on_log: Callable[[_ndsim.LogLine], Any] | None = log_to_standard_error,
    timeline: bool = True,
    blocking_sends: bool = False,
    title: str | None = None,
    faults: Sequence[str] = (),
    running: Sequence[int] = (),
    lines_of: str | None = None,
) -> _ndsim.Result:
    """Run ``program(gpu, *args)`` as so many ranks, each a forked process, in simulated time.

    machine: what things cost, as `ndsim hardware` names it, or a FILE.toml: "dgx-h100".
    profile: the same as a profile, by name, as a FILE.toml, or as a dict of what such a file holds; "gpu-py" where
    neither is said.
    host: how ranks live; Python programs can be processes only.
    time_scale: run in step with the wall's clock, so many seconds for a simulated one; None: as fast as possible.
    watchdog: a rank that runs its own code for so many seconds without an operation is hung.
    on_log: called with each line of GPU.log, in the order of simulated time; None: they are dropped.
    timeline: keep the spans of all operations, for pictures, traces and columns.
    blocking_sends: a send ends when its receive begins, at the earliest.
    title: what pictures call the run; the name of the program by default.
    faults: what the run is to suffer, in simulated time: ["kill rank 1 at 2s", "slow rank 0 x2"].
    lines_of: a Python file, such as __file__: a deadlock is told in its lines, as the labs tell it. Each operation looks where
    its call stands, which takes a microsecond.
    running: the ranks that run, ascending; the others have their place on the machine, and no program. None given: all.

    Raises what ended the run: DeadlockError, MismatchError, ProgramError, RankDied, RankHung, MachineLimit, each with
    the whole explanation, and UsageError for an argument that cannot be. What a rank changes in its memory nobody
    sees: results are handed over with GPU.report.
    """
    if host != "process":
        reason = "Python's stack cannot be switched as those of fibers are" if host == "fiber" else "there is no such host"
        raise UsageError(f'host="{host}": {reason}; the ranks of a Python program are processes: host="process"')
    if not callable(program):
        raise UsageError(f"launch needs a function of a GPU, not {type(program).__name__}")
    flush()
    result = _ndsim.run(
        ranks,
        list(running),
        functools.partial(be_rank, program, args),
        on_log=on_log,
        on_notice=notice,
        machine=machine or "",
        profile=dict(profile) if isinstance(profile, Mapping) else profile,
        time_scale=time_scale,
        watchdog=watchdog,
        timeline=timeline,
        blocking_sends=blocking_sends,
        title=title if title is not None else getattr(program, "__name__", "program"),
        faults=list(faults),
        lines_of=lines_of or "",
    )
    if result.fault is None:
        return result
    error = fault_of(result)
    if isinstance(error, Interrupted) and error.signal:
        # The program's own handler decides: for Ctrl-C Python's raises KeyboardInterrupt.
        signal.raise_signal(error.signal)
    raise error
