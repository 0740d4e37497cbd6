"""Everything the launcher needs from PyTorch itself."""

from __future__ import annotations

import contextlib
import functools
import importlib
import random
import sys
from collections.abc import Callable
from typing import Any

from .._errors import MachineLimit


def import_torch() -> Any:
    """Import torch with torch.distributed, with one thread per rank. Requires: the door is open."""
    try:
        torch = importlib.import_module("torch")
    except ImportError as missing:
        raise MachineLimit(f"PyTorch cannot be imported ({missing}): `{sys.executable} -m pip install torch` installs it") from missing
    if not importlib.import_module("torch.distributed").is_available():
        raise MachineLimit("this PyTorch was built without torch.distributed")
    # Imported once, before there are ranks, because every rank would import them at its first FSDP or DDP.
    for name in ("torch.distributed.fsdp", "torch._dynamo"):
        importlib.import_module(name)
    # A multithreaded operator leaves threads behind, which a fork would lose.
    torch.set_num_threads(1)
    return torch


def seed(rank: int) -> None:
    """Seed the random numbers of a script that does not; without a seed they would differ from run to run."""
    torch: Any = importlib.import_module("torch")
    torch.default_generator.manual_seed(rank)
    random.seed(rank)
    importlib.import_module("numpy").random.seed(rank)


def leave_dispatch_modes() -> None:
    """Leave every TorchDispatchMode, in a process that was forked inside one."""
    modes: Any = importlib.import_module("torch.utils._python_dispatch")
    while modes._get_current_dispatch_mode() is not None:
        modes._pop_mode()


def watch_optimizer_steps(
    during_step: Callable[[], contextlib.AbstractContextManager[None]], after_step: Callable[[Any], None]
) -> None:
    """Make optimizers step within during_step(), and call after_step(optimizer) afterwards."""
    module: Any = importlib.import_module("torch.optim.optimizer")
    under_way = contextlib.ExitStack()

    def end_step(optimizer: Any, *_: Any) -> None:
        under_way.close()
        after_step(optimizer)

    module.register_optimizer_step_pre_hook(lambda *_: under_way.enter_context(during_step()))
    module.register_optimizer_step_post_hook(end_step)


def watch_graphs(captures: Callable[[Any], None], replayed: Callable[[Any], None]) -> None:
    """Call captures(graph) when the capture of a CUDA graph begins, and replayed(graph) when a graph was launched."""
    of: Any = importlib.import_module("torch").cuda.CUDAGraph
    really_begin, really_replay = of.capture_begin, of.replay

    @functools.wraps(really_begin)
    def begin(graph: Any, *args: Any, **settings: Any) -> None:
        captures(graph)
        really_begin(graph, *args, **settings)

    @functools.wraps(really_replay)
    def replay(graph: Any) -> None:
        really_replay(graph)
        replayed(graph)

    of.capture_begin, of.replay = begin, replay
