"""Profiler ranges: an operation within record_function("forward") is called "forward/…" in the timeline.

They take no time. torch.profiler.profile shows kernels in simulated time; its operator times are those of this computer's CPU.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from typing import Any

from .. import rank as ranks
from ..launch import explain


def push(name: str) -> int:
    """Open a range. Returns the number of ranges around it."""
    rank = ranks.this_rank()
    if rank is None:
        return 0
    rank.ranges.append(name)
    if rank.gpus is not None:
        rank.gpus.push_range(name)
    return len(rank.ranges) - 1


def pop() -> int:
    rank = ranks.this_rank()
    if rank is None or not rank.ranges:
        return 0
    rank.ranges.pop()
    if rank.gpus is not None:
        rank.gpus.pop_range()
    return len(rank.ranges)


def asked_by_script() -> bool:
    """Whether the script itself opens the calling range: PyTorch's own ranges would clutter the names."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename == contextlib.__file__:
        frame = frame.f_back
    return explain.is_script(frame.f_code)


def prepare_record_function(profiler: Any) -> None:
    record_function = profiler.record_function
    really_enter, really_exit = record_function.__enter__, record_function.__exit__

    def enter(self: Any) -> Any:
        self.ndsim_opened = asked_by_script()
        if self.ndsim_opened:
            push(self.name)
        self.ndsim_entered = importlib.import_module("torch").autograd._profiler_enabled()
        return really_enter(self) if self.ndsim_entered else self

    def leave(self: Any, *error: Any) -> Any:
        if self.ndsim_opened:
            pop()
        return really_exit(self, *error) if self.ndsim_entered else None

    record_function.__enter__, record_function.__exit__ = enter, leave


def prepare_profile(profiler: Any) -> None:
    profile = profiler.profile
    really_begin = profile.__init__

    def begin(self: Any, *args: Any, **settings: Any) -> None:
        rank = ranks.this_rank()
        if rank is not None and rank.gpu.rank == rank.fold.running[0] and not rank.said_of_profiler:
            rank.said_of_profiler = True
            print(
                "ndsim.torchrun: the profiler's times of the CPU are this computer's; those of CUDA, --trace and --report "
                "are simulated",
                file=sys.stderr,
            )
        really_begin(self, *args, **settings)

    profile.__init__ = begin


@contextlib.contextmanager
def nvtx_range(message: str, *args: Any, **settings: Any) -> Iterator[None]:
    push(message.format(*args, **settings))
    try:
        yield
    finally:
        pop()


def prepare(setting: ranks.Setting) -> None:
    profiler: Any = importlib.import_module("torch.autograd.profiler")
    importlib.import_module("torch.profiler")
    prepare_record_function(profiler)
    prepare_profile(profiler)
    nvtx: Any = importlib.import_module("torch.cuda.nvtx")
    nvtx.range_push, nvtx.range_pop, nvtx.range = push, pop, nvtx_range
    nvtx.mark = lambda message: None
