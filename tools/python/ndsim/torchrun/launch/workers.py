"""Processes that a rank forks, such as the workers of a DataLoader, are not ranks: they compute in real time.

They end with their rank, however it ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
from collections.abc import Iterator
from multiprocessing import synchronize, util

from .. import rank as ranks
from .. import from_torch

PR_SET_PDEATHSIG = 1


@functools.cache
def library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def end_with_parent() -> None:
    """Have this process killed when its parent ends."""
    library().prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@contextlib.contextmanager
def install(rank: ranks.Rank) -> Iterator[None]:
    library()  # a forked child must not load anything

    def be_no_rank() -> None:
        end_with_parent()
        ranks.leave()
        from_torch.leave_dispatch_modes()

    os.register_at_fork(after_in_child=be_no_rank)
    try:
        yield
    finally:
        remove_semaphores()


def remove_semaphores() -> None:
    """Remove the named semaphores of workers that were not forked: Python does so at a normal exit, which a rank never reaches."""
    for finalizer in list(getattr(util, "_finalizer_registry").values()):  # noqa: B009
        if finalizer._callback is synchronize.SemLock._cleanup:  # type: ignore[attr-defined]
            finalizer()
