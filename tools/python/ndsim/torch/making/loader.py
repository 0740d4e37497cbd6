"""Puts the simulated GPU in the place of CUDA before PyTorch is imported.

The dynamic linker prefers a library that is loaded already, by name, to one on disk. So the stubs are loaded first, then
PyTorch's own libraries from where they are installed, and then the libraries that use both.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from .builder import Built
from .errors import CannotBuild
from .installed import check_not_imported

MODULE = "_slot"
_RUNTIME = "nd_cudart.so"
_OVER_PYTORCH = {True: "nd_torch_cuda.so", False: "nd_slot.so"}  # by whether it is a CUDA build
_OF_PYTORCH = ("libc10.so", "libtorch_cpu.so", "libc10_cuda.so")


def load(built: Built, gpu: int) -> None:
    """Load the libraries. `gpu` is the address of the seam's table, which lives as long as the process.

    Raises CannotBuild if PyTorch is imported already, or if a library cannot be loaded.
    """
    check_not_imported()
    is_for_cuda = built.torch.cuda is not None
    over_pytorch = built.folder / _OVER_PYTORCH[is_for_cuda]
    if is_for_cuda:
        # The runtime comes first, because the others depend on it.
        runtime = _open(built.folder / _RUNTIME)
        for path in sorted(built.folder.glob("nd_*.so")):
            if path not in (over_pytorch, built.folder / _RUNTIME):
                _open(path)
        _give(runtime, gpu)
    for name in _OF_PYTORCH:
        path = built.torch.libraries / name
        if path.exists():
            _open(path)
    slot = _open(over_pytorch)
    if not is_for_cuda:
        _give(slot, gpu)


def slot_module(built: Built) -> ModuleType:
    """The slot's Python module. Requires: torch._C is imported."""
    if MODULE not in sys.modules:
        spec = importlib.util.spec_from_file_location(MODULE, built.folder / f"{MODULE}.so")
        if spec is None or spec.loader is None:
            raise CannotBuild(f"{built.folder} has no module {MODULE}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[MODULE] = module
        spec.loader.exec_module(module)
    return sys.modules[MODULE]


def loaded_slot() -> ModuleType:
    """The slot's Python module, if it is imported already."""
    return sys.modules[MODULE]


def _open(path: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError as refused:
        raise CannotBuild(f"{path.name} cannot be loaded: {refused}") from None


def _give(library: ctypes.CDLL, gpu: int) -> None:
    use = library.ndsim_use_gpu
    use.argtypes = [ctypes.c_void_p]
    use.restype = None
    use(gpu)
