"""A script's imports for which there is a stand-in, and the extensions that it would compile."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.metadata
import os
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from ...torch.door import finished_later
from .. import rank as ranks
from ..refusals import OWN_KERNELS, refuse
from . import triton_kernels
from .registry import EXTENSIONS, PACKAGES, names

TOOLKIT = Path(__file__).parent / "toolkit"
COMPILER = "torch.utils.cpp_extension"
# Otherwise PyTorch would compile its own operators with it.
HIDDEN_FROM_TORCH = "triton"
SOURCES_FOR_GPUS = (".cu", ".cuh", ".hip")


def is_installed(spec: ModuleSpec) -> bool:
    """Whether a package is installed where pip puts them: a package next to the script is the script's own."""
    return f"-packages{os.sep}" in (spec.origin or next(iter(spec.submodule_search_locations or ()), ""))


class StandIns(importlib.abc.MetaPathFinder):
    """Finds modules in `packages/` before installed ones."""

    def __init__(self, without: Iterable[str]) -> None:
        self.names = names() - set(without)
        self.extensions = names(EXTENSIONS)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name == COMPILER:
            return finished_later(name, path, target, self.compile_nothing_for_gpus)
        top, _, below = name.partition(".")
        if top not in self.names:
            return None
        if top == HIDDEN_FROM_TORCH and is_imported_by_torch(sys._getframe(1)):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if not below:
            local = PathFinder.find_spec(name)
            if local is not None and not is_installed(local):
                return None
            return PathFinder.find_spec(name, [str(PACKAGES)])
        spec = PathFinder.find_spec(name, path)
        if spec is None and is_stand_in(top) and is_imported(sys._getframe(1)):
            raise ModuleNotFoundError(f"ndsim's stand-in for {top} has no module {name}", name=name)
        return spec

    def find_distributions(self, context: Any = importlib.metadata.DistributionFinder.Context()) -> Iterable[Any]:
        """Versions for importlib.metadata."""
        if context.name is not None and str(context.name).replace("-", "_") not in self.names:
            return []
        inside = importlib.metadata.DistributionFinder.Context(name=context.name, path=[str(PACKAGES)])
        found = importlib.metadata.MetadataPathFinder.find_distributions(inside)
        return [each for each in found if each.metadata["Name"].replace("-", "_") in self.names]


    def compile_nothing_for_gpus(self, compiler: ModuleType) -> None:
        """Make torch.utils.cpp_extension return stand-ins, refuse GPU sources, and compile host sources."""
        real, real_inline = compiler.load, compiler.load_inline

        def load(name: str, sources: Any, *rest: Any, **settings: Any) -> Any:
            if name in self.extensions:
                return importlib.import_module(f"{__package__}.extensions.{name}")
            files = [sources] if isinstance(sources, (str, os.PathLike)) else sources
            if settings.get("with_cuda") or any(str(file).endswith(SOURCES_FOR_GPUS) for file in files):
                refuse(f"{COMPILER}.load of {name}", OWN_KERNELS)
            return real(name, sources, *rest, **settings)

        def load_inline(name: str, cpp_sources: Any, cuda_sources: Any = None, *rest: Any, **settings: Any) -> Any:
            if settings.get("with_cuda") or cuda_sources:
                refuse(f"{COMPILER}.load_inline of {name}", OWN_KERNELS)
            return real_inline(name, cpp_sources, None, *rest, **settings)

        setattr(compiler, "load", load)  # noqa: B010
        setattr(compiler, "load_inline", load_inline)  # noqa: B010
        # The simulated machine's toolkit: frameworks ask its compiler for its version.
        setattr(compiler, "CUDA_HOME", str(TOOLKIT))  # noqa: B010


def is_stand_in(name: str) -> bool:
    """Whether an imported module is a stand-in."""
    return str(getattr(sys.modules.get(name), "__file__", "")).startswith(str(PACKAGES) + os.sep)


def is_imported(frame: Any) -> bool:
    """Whether the module search in this frame belongs to an import, not to a check whether the module exists."""
    while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib._bootstrap"):
        if frame.f_code.co_name == "_find_and_load":
            return True
        frame = frame.f_back
    return False


def is_imported_by_torch(frame: Any) -> bool:
    """Whether the import in this frame is one of PyTorch's own."""
    while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib._bootstrap"):
        frame = frame.f_back
    return frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "torch"


def tell_fresh_processes() -> None:
    """Let processes that multiprocessing spawns as fresh Pythons, not by a fork, find stand-ins, last on their path.

    They import the script's modules again, as a checkpoint writer or a queue manager does.
    """
    spawn: Any = importlib.import_module("multiprocessing.spawn")
    real = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        told: dict[str, Any] = real(name)
        told["sys_path"] = [*told["sys_path"], str(PACKAGES)]
        return told

    spawn.get_preparation_data = get_preparation_data


def prepare(setting: ranks.Setting) -> None:
    stand_ins = StandIns(setting.options.without)
    sys.meta_path.insert(0, stand_ins)
    torch: Any = importlib.import_module("torch")
    os.environ["NDSIM_CUDA_VERSION"] = str(torch.version.cuda)
    tell_fresh_processes()
    triton_kernels.leave_unwrapped(torch)
    if COMPILER in sys.modules:
        stand_ins.compile_nothing_for_gpus(sys.modules[COMPILER])


def tell(rank: ranks.Rank) -> None:
    rank.tell("stand-ins", sorted(filter(is_stand_in, names())))
