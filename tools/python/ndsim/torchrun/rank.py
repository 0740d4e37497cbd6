"""The state of one rank: its simulated GPU, the run, and the parts that a script meets.

The parts are modules next to this one. prepare(setting) of each runs before any rank is forked and sets up what is the same in
all processes. In each rank, install(rank) follows before the script runs, and tell(rank) after it has ended.
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

# Installed in this order; told in reverse. If install returns a context, the script runs inside it.
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

# Parts that a notebook leaves out: its own code runs next to the user's, and needs the real clock.
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
    """The command line's settings, the same for all runs of a script."""

    options: Options
    machine: Machine
    of_notebook: bool = False


@dataclasses.dataclass(frozen=True)
class Run:
    """State shared by the ranks of one run."""

    setting: Setting
    fold: Fold
    meeting: Meeting
    words: Channel
    places: Places
    alone: Here | None = None
    """The world of a rank that was not launched: its process could still start ranks."""


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
        """End times of each optimizer's steps, including optimizers that no longer exist."""
        self.steps_of: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        """The steps of each optimizer that is still alive."""
        self.numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        """Index in `steps` of each of them."""
        self.steps_ended = 0
        """Steps of all optimizers."""
        self.held: dict[str, int] | None = None
        """Bytes that the GPUs hold at the end of a step, by kind."""
        self.graph: weakref.ref[Any] | None = None
        """The CUDA graph whose capture started last."""
        self.steps_in_graphs: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        """The optimizers that step in a graph, once per step."""
        self.said_of_profiler = False
        self.gpus: TorchGpus | None = None
        """Its host and its simulated GPUs; None until they exist."""

    @property
    def world_size(self) -> int:
        """The number of ranks that the script sees."""
        return self.fold.world

    @property
    def local_rank(self) -> int:
        return self.gpu.rank % self.machine.gpus_per_node

    @property
    def node(self) -> int:
        return self.gpu.rank // self.machine.gpus_per_node

    @property
    def node_size(self) -> int:
        """The number of ranks on this rank's node."""
        first = self.node * self.machine.gpus_per_node
        return min(self.machine.gpus_per_node, self.world_size - first)

    @property
    def host_picoseconds(self) -> int:
        """The time on this rank's host."""
        if self.gpus is not None:
            return self.gpus.host_picoseconds
        return round(self.gpu.now() * PICOSECONDS)

    def pass_host(self, picoseconds: int) -> None:
        """Keep the host busy with something else."""
        if self.gpus is not None:
            self.gpus.pass_host(picoseconds)
        else:
            self.gpu.compute("host", units=picoseconds / (PICOSECONDS // 1000))

    def tell(self, about: str, value: Any) -> None:
        """Send something to the process that launched this rank."""
        self.words.tell(self.gpu.rank, about, value)

    def label(self, name: str) -> str:
        """The name of the current operation in the timeline, inside the script's profiler ranges."""
        return "/".join([*self.ranges, name]) if self.ranges else name


_this_process: list[Rank] = []


def this_rank() -> Rank | None:
    """The rank that runs in this process; None in the process that launches ranks, and in a worker of a rank."""
    return _this_process[0] if _this_process else None


def leave() -> None:
    """Make this process no rank: it was forked from one."""
    _this_process.clear()


@functools.cache
def parts(of_notebook: bool) -> list[ModuleType]:
    names = [name for name in PARTS if not (of_notebook and name in OF_SCRIPTS)]
    return [importlib.import_module(f"{__package__}.{name}") for name in names]


def prepare(setting: Setting) -> None:
    """Set up what is the same in every process, before ranks are forked."""
    for part in parts(setting.of_notebook):
        if hasattr(part, "prepare"):
            part.prepare(setting)


@contextlib.contextmanager
def begin(gpu: GPU, run: Run) -> Iterator[Rank]:
    """Make this process a rank while its script runs."""
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
    """Run the rank's program. Collections free memory on the timeline, so they are counted from here on, and none runs after the
    end."""
    gc.collect()
    left = program()
    gc.disable()
    del left


def tell_all(rank: Rank) -> None:
    """Make a rank report what it has done so far."""
    for part in reversed(parts(rank.of_notebook)):
        if hasattr(part, "tell"):
            part.tell(rank)
