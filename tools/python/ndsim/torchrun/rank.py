"""What one rank has: its simulated GPU, the run, and the parts that a script meets.

The parts are modules beside this one. Before any rank is forked prepare(setting) of each is called, which puts in place
what is the same in all processes; in each rank install(rank) follows, before the script runs, and tell(rank) when it has ended.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import importlib
import threading
import weakref
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .._ndsim import GPU, Here, TorchGpus
from .launch.channel import Channel
from .launch.places import Places
from .options import Options

if TYPE_CHECKING:
    from .launch.fold import Fold
    from .launch.rendezvous import Meeting

PICOSECONDS = 1_000_000_000_000

# In this order, and tell in the opposite one. What install returns, if anything, is a context in which the script runs.
PARTS = (
    "launch.rendezvous",
    "launch.spawn",
    "launch.itself",
    "script.steps",
    "script.again",
    "script.ranges",
    "script.compiled",
    "refusals",
    "stand_ins.imports",
    "stand_ins.flex.attention",
    "stand_ins.flex.block_masks",
    "script.clock",
    "launch.workers",
    "hollow.shown",
    "hollow.made_up",
    "recognised.watching",
    "simulated",
)

# Those that a notebook goes without: its own code is beside the user's, and needs the real clock.
OF_SCRIPTS = ("launch.spawn", "launch.itself", "script.clock")


@dataclasses.dataclass(frozen=True)
class Machine:
    """The simulated machine."""

    name: str
    gpus_per_node: int
    accelerator: str
    memory_bytes: int


@dataclasses.dataclass(frozen=True)
class Setting:
    """What the command line says: the same for all runs of a script."""

    options: Options
    machine: Machine
    of_notebook: bool = False


@dataclasses.dataclass(frozen=True)
class Run:
    """What the ranks of one run share."""

    setting: Setting
    fold: Fold
    meeting: Meeting
    words: Channel
    places: Places
    alone: Here | None = None
    """The world of a rank that nobody has started: it is the process that could start ranks."""


class Rank:
    """This process as a rank."""

    def __init__(self, gpu: GPU, run: Run) -> None:
        self.gpu = gpu
        self.options = run.setting.options
        self.machine = run.setting.machine
        self.of_notebook = run.setting.of_notebook
        self.fold = run.fold
        self.alone = run.alone
        self.meeting = run.meeting
        self.words = run.words
        self.place = run.places.of(gpu.rank)
        self.thread = threading.get_ident()
        self.ranges: list[str] = []
        """The profiler ranges of the script that are open."""
        self.steps: list[list[Any]] = []
        """When each optimizer ended its steps, including optimizers that no longer exist."""
        self.steps_of: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        """The steps of each optimizer that is still alive."""
        self.numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        """Of each of them, its place in `steps`."""
        self.steps_ended = 0
        """Those of all optimizers."""
        self.held: dict[str, int] | None = None
        """The bytes that GPUs hold at the end of a step, by what holds them."""
        self.graph: weakref.ref[Any] | None = None
        """The CUDA graph whose capture began last."""
        self.steps_in_graphs: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        """The optimizers that step in a graph, once for each step."""
        self.said_of_profiler = False
        self.gpus: TorchGpus | None = None
        """Its host and its simulated GPUs, from when they are there."""

    @property
    def world_size(self) -> int:
        """How many ranks the script sees."""
        return self.fold.world

    @property
    def local_rank(self) -> int:
        return self.gpu.rank % self.machine.gpus_per_node

    @property
    def node(self) -> int:
        return self.gpu.rank // self.machine.gpus_per_node

    @property
    def node_size(self) -> int:
        """How many ranks the node of this rank has."""
        first = self.node * self.machine.gpus_per_node
        return min(self.machine.gpus_per_node, self.world_size - first)

    @property
    def host_picoseconds(self) -> int:
        """The clock of this rank's host."""
        if self.gpus is not None:
            return self.gpus.host_picoseconds
        return round(self.gpu.now() * PICOSECONDS)

    def pass_host(self, picoseconds: int) -> None:
        """Let the host be busy with something else."""
        if self.gpus is not None:
            self.gpus.pass_host(picoseconds)
        else:
            self.gpu.compute("host", units=picoseconds / (PICOSECONDS // 1000))

    def tell(self, about: str, value: Any) -> None:
        """Say something to the process that launched this rank."""
        self.words.tell(self.gpu.rank, about, value)

    def label(self, name: str) -> str:
        """What the timeline calls an operation that is done now: within the script's profiler ranges."""
        return "/".join([*self.ranges, name]) if self.ranges else name


_this_process: list[Rank] = []


def this_rank() -> Rank | None:
    """The rank that this process is; None in the process that launches ranks, and in a worker of a rank."""
    return _this_process[0] if _this_process else None


def leave() -> None:
    """This process is no rank any more: it was forked from one."""
    _this_process.clear()


@functools.cache
def parts(of_notebook: bool) -> list[ModuleType]:
    names = [name for name in PARTS if not (of_notebook and name in OF_SCRIPTS)]
    return [importlib.import_module(f"{__package__}.{name}") for name in names]


def prepare(setting: Setting) -> None:
    """Put in place what is the same in every process, before ranks are forked."""
    for part in parts(setting.of_notebook):
        if hasattr(part, "prepare"):
            part.prepare(setting)


@contextlib.contextmanager
def begin(gpu: GPU, run: Run) -> Iterator[Rank]:
    """Make this process a rank, for as long as its script runs."""
    rank = Rank(gpu, run)
    _this_process[:] = [rank]
    with contextlib.ExitStack() as contexts:
        for part in parts(run.setting.of_notebook):
            if hasattr(part, "install"):
                context = part.install(rank)
                if context is not None:
                    contexts.enter_context(context)
        yield rank
        tell_all(rank)


def run_program(program: Callable[[], Any]) -> None:
    """Run what a rank is to run. What a garbage collection frees is in the timeline, so that they are counted from here, and end with it."""
    gc.collect()
    left = program()
    gc.disable()
    del left


def tell_all(rank: Rank) -> None:
    """Let a rank tell what it has done so far."""
    for part in reversed(parts(rank.of_notebook)):
        if hasattr(part, "tell"):
            part.tell(rank)
