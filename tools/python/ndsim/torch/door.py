"""The door between a script's PyTorch and the simulated GPUs, opened before torch is imported, in the process that starts ranks.

It loads the slot, which takes the place of CUDA, and an import hook gives torch the names that it checks. From then on torch.cuda
is available, and everything a script does on a GPU happens on the simulated one.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import checkpoint, cpu_build, distributed
from .making import builder, loader


class Door(importlib.abc.MetaPathFinder):
    """Hooks into the imports of torch. `built`: the slot for this PyTorch."""

    def __init__(self, built: builder.Built) -> None:
        self.built = built
        self.is_cuda_build = built.torch.cuda is not None

    def slot(self) -> ModuleType:
        """The slot's module, which needs torch._C."""
        return loader.slot_module(self.built)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name == "torch.cuda" and not self.is_cuda_build:
            cpu_build.fill(sys.modules["torch._C"], self.slot())
        elif name == "torch.distributed.distributed_c10d":
            c10d = sys.modules["torch._C._distributed_c10d"]
            distributed.fill(c10d, self.slot())
            if not distributed.names_groups_of_gloo(c10d):
                return finished_later(name, path, target, distributed.name_groups_of_gloo)
        elif name in checkpoint.SAVERS:
            return finished_later(name, path, target, checkpoint.save_at_once)
        elif name == "torch" and not self.is_cuda_build:
            return finished_later(name, path, target, lambda torch: cpu_build.finish(torch, self.slot()))
        return None


def finished_later(
    name: str, path: Any, target: Any, finish: Callable[[ModuleType], None]
) -> importlib.machinery.ModuleSpec | None:
    """The module's spec; `finish` is called with the module once it is imported."""
    spec = importlib.machinery.PathFinder.find_spec(name, path, target)
    if spec is not None and spec.loader is not None:
        importer: Any = spec.loader
        execute = importer.exec_module

        def execute_and_finish(module: ModuleType) -> None:
            execute(module)
            finish(module)

        importer.exec_module = execute_and_finish
    return spec


def is_open() -> bool:
    return any(isinstance(finder, Door) for finder in sys.meta_path)


def open_door(table: int) -> Door:
    """Requires: torch is not imported yet. `table`: the address of the simulated GPUs' functions.

    Raises CannotBuild, with a one-line message, if the slot cannot be built or loaded.
    """
    built = builder.build()
    loader.load(built, table)
    door = Door(built)
    sys.meta_path.insert(0, door)
    return door
