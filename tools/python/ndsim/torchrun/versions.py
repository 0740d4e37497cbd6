"""What depends on the version of PyTorch: 1.13 as Debian has it, and 2.x by its documented interfaces."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import importlib.util
import itertools
import pathlib
import random
import re
import types
from collections.abc import Callable
from typing import Any

from .._errors import MachineLimit

SMALLEST = (1, 13)


def is_two() -> bool:
    """Whether the PyTorch that would be imported is 2.6 or newer, which runs on simulated GPUs of its own kind."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return False
    file = pathlib.Path(spec.origin).parent / "version.py"
    found = re.search(r"__version__ = '(\d+)\.(\d+)", file.read_text(encoding="utf-8")) if file.is_file() else None
    return found is not None and (int(found[1]), int(found[2])) >= (2, 6)


def make_hashable(cls: type, name: str, kind: Any, *rest: Any) -> Any:
    """Read a dataclass field as Python does, after its default has got a hash.

    FSDP of PyTorch 1.13 has a default of a dataclass without one, which Python 3.11 refuses as mutable.
    """
    default = getattr(cls, name, dataclasses.MISSING)
    if isinstance(default, dataclasses.Field):
        default = default.default
    plain = type(default)
    if plain.__hash__ is None and plain.__module__.startswith("torch."):
        plain.__hash__ = object.__hash__  # type: ignore[method-assign, assignment]
    return read_field(cls, name, kind, *rest)


read_field = getattr(dataclasses, "_get_field")  # noqa: B009


def import_torch() -> Any:
    """Import torch with torch.distributed, for one thread per rank."""
    try:
        torch = importlib.import_module("torch")
    except ImportError as missing:
        raise MachineLimit(f"PyTorch cannot be imported ({missing}): install Debian's python3-torch") from missing
    version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    if version < SMALLEST:
        raise MachineLimit(f"PyTorch {torch.__version__} is too old: 1.13 or newer is needed")
    if not importlib.import_module("torch.distributed").is_available():
        raise MachineLimit("this PyTorch was built without torch.distributed")
    setattr(dataclasses, "_get_field", make_hashable)  # noqa: B010
    try:
        importlib.import_module("torch.distributed.fsdp")
    finally:
        setattr(dataclasses, "_get_field", read_field)  # noqa: B010
    compare_neighbours()
    # An operator of several threads leaves threads behind, which a fork loses.
    torch.set_num_threads(1)
    return torch


def compare_neighbours() -> None:
    """Let FSDP compare each rank's order of units with that of the next, and not with those of all others.

    It does so once, in the first step, by operators whose number grows with the square of the world: 7 million at 1,024
    ranks. Where one rank differs from another, it differs from a neighbour, or one between them does.
    """

    def pairs(values: Any, length: int) -> Any:
        return itertools.pairwise(values) if length == 2 else itertools.combinations(values, length)

    for name in ("fully_sharded_data_parallel", "_exec_order_utils"):
        with contextlib.suppress(ImportError):
            module: Any = importlib.import_module(f"torch.distributed.fsdp.{name}")
            if getattr(module, "itertools", None) is itertools:
                module.itertools = types.SimpleNamespace(**{**vars(itertools), "combinations": pairs})


def seed(rank: int) -> None:
    """Begin the random numbers of a script that does not: elsewhere they begin anywhere."""
    torch: Any = importlib.import_module("torch")
    torch.default_generator.manual_seed(rank)
    random.seed(rank)
    importlib.import_module("numpy").random.seed(rank)


def leave_dispatch_modes() -> None:
    """Take off every TorchDispatchMode: in a process that was forked within one."""
    modes: Any = importlib.import_module("torch.utils._python_dispatch")
    while modes._get_current_dispatch_mode() is not None:
        modes._pop_mode()


def watch_optimizer_steps(
    during_step: Callable[[], contextlib.AbstractContextManager[None]], after_step: Callable[[Any], None]
) -> None:
    """Let an optimizer step within during_step(), and after_step(optimizer) be called when it has."""
    module: Any = importlib.import_module("torch.optim.optimizer")
    if hasattr(module, "register_optimizer_step_post_hook"):
        under_way = contextlib.ExitStack()

        def end_step(optimizer: Any, *_: Any) -> None:
            under_way.close()
            after_step(optimizer)

        module.register_optimizer_step_pre_hook(lambda *_: under_way.enter_context(during_step()))
        module.register_optimizer_step_post_hook(end_step)
        return
    optimizer = module.Optimizer
    really_hook = optimizer._hook_for_profile

    def hook(self: Any) -> None:
        really_hook(self)
        step = type(self).step
        if hasattr(step, "ndsim_counts"):
            return

        @functools.wraps(step)
        def counted(self: Any, *args: Any, **settings: Any) -> Any:
            with during_step():
                result = step(self, *args, **settings)
            after_step(self)
            return result

        counted.ndsim_counts = True  # type: ignore[attr-defined]
        type(self).step = counted

    optimizer._hook_for_profile = hook
