"""gpu.py, the Python original of this project, in simulated time: the same lines run with the import changed.

    from ndsim.gpu_py import GPU, Process

The original slept; here a second takes no time, a message must actually be sent before it can be received, and a program that
would wait forever gets an explanation. The processes started before the first join() are the ranks of one run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import _ndsim
from ._errors import ProgramError
from ._launch import launch, log_to_standard_error

SECONDS_PER_COMPUTE_UNIT = 0.1
"""Time per unit of compute."""
NETWORK_BASE_LATENCY_SECONDS = 0.05
"""Fixed latency of a send, and of the acknowledgement that a receive pays for."""
SECONDS_PER_DATA_UNIT = 0.01
"""Time per unit of data."""

TOTAL_COMPUTE_PER_ITEM = 20
GRADIENT_SIZE_PER_MODEL = 500
NUM_DATA_ITEMS = 16
NUM_WORKERS = 4

# The GPU of the rank that runs in this process.
_this_rank: list[_ndsim.GPU] = []


class GPU:
    """The original's GPU: it computes, sends and receives units, and logs when each starts and finishes."""

    def __init__(self, rank: int = 0) -> None:
        if not _this_rank:
            raise ProgramError("a GPU works only within a run: start the program with ndsim.gpu_py.run or Process")
        self._gpu = _this_rank[0]
        if rank != self._gpu.rank:
            raise ProgramError(f"this process is rank {self._gpu.rank}, and cannot be GPU({rank}) as well")
        self.rank = rank

    @contextmanager
    def _told(self, what: str, size: str) -> Iterator[None]:
        begin = self._gpu.now()
        self._gpu.log(f"Starting {what} ({size})")
        yield
        self._gpu.log(f"Finished {what} (took {self._gpu.now() - begin:.3f}s)")

    def compute(self, description: str, units: float) -> None:
        """Compute for 0.1 s per unit."""
        with self._told(f"compute: {description}", f"{units:g} units"):
            self._gpu.compute(description, units=units)

    def send(self, target_rank: int, description: str, units: float) -> None:
        """Send for 0.05 s plus 0.01 s per unit."""
        with self._told(f"send: {description} to Rank {target_rank}", f"{units:g} units"):
            self._gpu.send(target_rank, label=description, units=units)

    def receive(self, source_rank: int, description: str, units: float) -> None:
        """Wait for the message, plus 0.05 s for its acknowledgement."""
        with self._told(f"receive: {description} from Rank {source_rank}", f"{units:g} units"):
            self._gpu.receive(source_rank, label=description, units=units)


def _be_worker(gpu: _ndsim.GPU, targets: list[Callable[[], Any]]) -> None:
    _this_rank.append(gpu)
    targets[gpu.rank]()


def _launch(targets: list[Callable[[], Any]], title: str, **options: Any) -> _ndsim.Result:
    options.setdefault("on_log", log_to_standard_error)
    return launch(len(targets), _be_worker, targets, title=title, **options)


def run(program: Callable[..., Any], ranks: int = 1, *args: Any, **options: Any) -> _ndsim.Result:
    """Run ``program(rank, *args)`` in ``ranks`` processes; it creates its own ``GPU(rank)``. Takes the options of launch."""
    targets = [lambda rank=rank: program(rank, *args) for rank in range(ranks)]
    return _launch(targets, program.__name__, **options)


class Process:
    """Replaces multiprocessing.Process: the processes are ranks 0, 1, … of one run, in the order in which they are started.

    The run begins with the first join(), and all of them have ended when it returns.
    """

    _started: list[Process] = []

    def __init__(self, target: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None):
        self._target = target
        self._args = args
        self._kwargs = kwargs or {}
        self.result: _ndsim.Result | None = None
        """The run in which it was a rank; None until it has ended."""

    def start(self) -> None:
        """Become the next rank of the upcoming run."""
        Process._started.append(self)

    def join(self) -> None:
        """Run all processes that have been started, unless they have run already."""
        if self.result is not None:
            return
        if self not in Process._started:
            raise ProgramError("join() needs a process that has been started")
        started, Process._started = Process._started, []
        targets = [lambda p=p: p._target(*p._args, **p._kwargs) for p in started]
        result = _launch(targets, getattr(self._target, "__name__", "gpu_py"))
        for process in started:
            process.result = result
