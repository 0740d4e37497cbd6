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
    """Write a line of the log in the format of C++ programs."""
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
    """Run ``program(gpu, *args)`` as ``ranks`` ranks, each a forked process, in simulated time.

    machine: sets the costs: a name from `ndsim hardware`, such as "dgx-h100", or a FILE.toml.
    profile: also sets the costs, as a profile's name, a FILE.toml, or a dict with the contents of such a file; "gpu-py" if
    neither is given.
    host: how ranks run; Python programs can only be processes.
    time_scale: run in step with the wall clock, at this many wall-clock seconds per simulated second; None: as fast as possible.
    watchdog: a rank that runs its own code for this many seconds without an operation counts as hung.
    on_log: called with each line of GPU.log, in order of simulated time; None drops them.
    timeline: keep the spans of all operations, for pictures, traces and columns.
    blocking_sends: a send ends no earlier than its receive begins.
    title: the run's title in pictures; defaults to the name of the program.
    faults: faults to inject, in simulated time: ["kill rank 1 at 2s", "slow rank 0 x2"].
    lines_of: a Python file, such as __file__: a deadlock is explained by its lines, as in the labs. Each operation then looks up
    the line of its call, which takes a microsecond.
    running: the ranks that run, ascending; the others occupy their place on the machine but run no program. Default: all.

    Raises the reason why the run ended early: DeadlockError, MismatchError, ProgramError, RankDied, RankHung or MachineLimit,
    each with the full explanation, and UsageError for an invalid argument. The caller does not see what a rank changes in its
    memory: pass results back with GPU.report.
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
        # The caller's own handler decides: for Ctrl-C, Python's raises KeyboardInterrupt.
        signal.raise_signal(error.signal)
    raise error
