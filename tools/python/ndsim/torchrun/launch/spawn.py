"""Scripts that start their own ranks, with torch.multiprocessing.spawn or Process.

These ranks become a run: forked ranks, in the order in which they are started.
"""

from __future__ import annotations

import importlib
import multiprocessing.process
import sys
from collections.abc import Callable
from typing import Any

from .. import rank as ranks
from .. import simulated
from . import explain

# The starter of this process, set before the script runs.
_starters: list[Any] = []


def use(starter: Any) -> None:
    """Make this starter start the ranks that the script spawns."""
    _starters[:] = [starter]


def may_start_ranks(rank: ranks.Rank) -> bool:
    """Whether this process can fork ranks: it was not started as a rank, and has nothing on a GPU."""
    return rank.alone is not None and not simulated.has_used_gpus()


def start(count: int, program: Callable[[int], Any]) -> None:
    rank = ranks.this_rank()
    if rank is not None and not may_start_ranks(rank):
        raise RuntimeError(
            "this process has used its GPUs and can no longer fork ranks: start them before"
            if rank.alone is not None
            else "this process is a rank already, and the script starts ranks by itself: leave out --nproc"
        )
    _starters[0].start(count, program)


class Spawned:
    """Replaces torch's ProcessContext: the run takes place at the first join()."""

    def __init__(self, program: Callable[..., Any], arguments: tuple[Any, ...], count: int) -> None:
        self.processes: list[Any] = []
        self._start = lambda: start(count, lambda rank: program(rank, *arguments))
        self._ran = False

    def join(self, timeout: float | None = None) -> bool:
        if not self._ran:
            self._ran = True
            self._start()
        return True

    def pids(self) -> list[int]:
        return []


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> Spawned | None:
    """Replaces torch.multiprocessing.spawn and start_processes."""
    spawned = Spawned(fn, args, nprocs)
    if not join:
        return spawned
    spawned.join()
    return None


class Waiting:
    """A process that the script has started; it runs with the others when the script waits for one of them."""

    waiting: list[tuple[Waiting, Any]] = []

    def __init__(self, process: Any) -> None:
        self.returncode: int | None = None
        self.pid = 0
        self.sentinel = -1
        Waiting.waiting.append((self, process))

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        if self.returncode is None:
            run_waiting()
        return self.returncode

    def close(self) -> None:
        pass

    def terminate(self) -> None:
        pass

    kill = terminate


def run_waiting() -> None:
    """Run all started processes as one run."""
    waiting, Waiting.waiting = Waiting.waiting, []
    if not waiting:
        return
    for each, _ in waiting:
        each.returncode = 1
    start(len(waiting), lambda rank: waiting[rank][1].run())
    for each, _ in waiting:
        each.returncode = 0


def prepare(setting: ranks.Setting) -> None:
    torch = importlib.import_module("torch.multiprocessing")
    module = sys.modules["torch.multiprocessing.spawn"]
    for place in (torch, module):
        setattr(place, "spawn", spawn)  # noqa: B010
        setattr(place, "start_processes", spawn)  # noqa: B010
    process = multiprocessing.process.BaseProcess
    really_start = process.start

    def start_process(self: Any) -> None:
        caller = sys._getframe(1)
        rank = ranks.this_rank()
        if (rank is not None and not may_start_ranks(rank)) or not explain.is_script(caller.f_code):
            really_start(self)
            return
        self._popen = Waiting(self)
        self._sentinel = self._popen.sentinel

    process.start = start_process  # type: ignore[method-assign]
