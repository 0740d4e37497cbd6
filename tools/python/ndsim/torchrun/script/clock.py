"""Replaces the clocks that a script reads by that of its simulated host, which starts at 0.

Waiting loops of PyTorch and Python use the real clock: only the script's own readings are simulated. A reading takes as much time
as in Python, so that a loop which waits for the clock ends.
"""

from __future__ import annotations

import importlib
import sys
import time
import timeit
from collections.abc import Callable
from types import FrameType
from typing import Any

from .. import rank as ranks
from ..launch import explain

WAIT_FOR_FILES = ("fasteners", "filelock", "portalocker")
"""Packages that wait until another process releases a file: they use the real clock, because the wait is real."""

READING_PICOSECONDS = 50_000

CLOCKS = ("time", "perf_counter", "monotonic")


def is_simulated_for(frame: FrameType) -> bool:
    """Whether the caller in this frame sees the simulated host's clock."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package not in WAIT_FOR_FILES and explain.is_script(frame.f_code)


def host_clock(real: Callable[[], Any], whole: bool) -> Callable[[], Any]:
    """The replacement of a real clock; whole: in nanoseconds."""

    def clock() -> Any:
        rank = ranks.this_rank()
        if rank is None or not is_simulated_for(sys._getframe(1)):
            return real()
        if rank.gpus is not None:
            rank.gpus.pass_host(READING_PICOSECONDS)
        picoseconds = rank.host_picoseconds
        return picoseconds // 1000 if whole else picoseconds / ranks.PICOSECONDS

    clock.__name__ = real.__name__
    clock.__doc__ = real.__doc__
    return clock


def host_sleep(real: Callable[[float], None]) -> Callable[[float], None]:
    def sleep(seconds: float) -> None:
        rank = ranks.this_rank()
        if rank is None or not is_simulated_for(sys._getframe(1)):
            real(seconds)
            return
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        rank.pass_host(round(seconds * ranks.PICOSECONDS))

    sleep.__doc__ = real.__doc__
    return sleep


def prepare(setting: ranks.Setting) -> None:
    """Replace the functions of time before the script imports them by name."""
    # These modules bind the real clock when they are imported.
    for name in ("threading", "queue", "selectors", "multiprocessing.connection", "concurrent.futures"):
        importlib.import_module(name)
    real_counter = time.perf_counter
    for name in CLOCKS:
        setattr(time, name, host_clock(getattr(time, name), whole=False))
        setattr(time, name + "_ns", host_clock(getattr(time, name + "_ns"), whole=True))
    setattr(time, "sleep", host_sleep(time.sleep))  # noqa: B010
    timeit.default_timer = time.perf_counter
    for function in (timeit.Timer.__init__, timeit.timeit, timeit.repeat):
        defaults: Any = function.__defaults__  # type: ignore[attr-defined]
        function.__defaults__ = tuple(  # type: ignore[attr-defined]
            time.perf_counter if each is real_counter else each for each in defaults
        )
