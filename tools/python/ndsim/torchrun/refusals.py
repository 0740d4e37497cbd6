"""Refuses what cannot run at the point where the script asks for it, with the line of the script and the reason."""

from __future__ import annotations

import functools
import importlib.abc
import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..torch.door import finished_later
from . import rank as ranks
from .launch import explain


class Refused(RuntimeError):
    """The script asks for something that has no simulated counterpart."""


class RefusedImport(Refused, ImportError):
    """The script imports it, and may have a fallback."""


REMOTE_CALLS = "remote procedure calls have no simulated time; ranks communicate by collectives, send and recv"
OWN_KERNELS = "a custom kernel cannot be priced; use PyTorch operators"
SHARED = "the memory of a simulated GPU is that of one process; share tensors of the host"
PEERS = "the memory of a simulated GPU is that of one process, which no other reads; use collectives"
ELASTIC = "this launcher starts the ranks once; a simulated run ends when a rank fails"

# A module, its functions, classes or methods, and why they cannot run.
REFUSED = (
    ("torch.distributed.rpc", ("init_rpc",), REMOTE_CALLS),
    ("torch.storage", ("UntypedStorage._share_cuda_",), SHARED),
    ("torch.distributed._symmetric_memory", ("get_symm_mem_workspace", "empty", "rendezvous"), PEERS),
    ("torch.cuda.jiterator", ("_create_jit_fn", "_create_multi_output_jit_fn"), OWN_KERNELS),
    ("torch.distributed.launcher.api", ("elastic_launch", "launch_agent"), ELASTIC),
    ("torch.distributed.launcher", ("elastic_launch", "launch_agent"), ELASTIC),
)

REFUSED_IMPORTS = ("bitsandbytes", "cupy", "pycuda")


def refuse(what: str, why: str, kind: type[Refused] = Refused) -> None:
    line = explain.where()
    raise kind(f"{line}: {what} cannot run here: {why}" if line else f"{what} cannot run here: {why}")


def check_thread(what: str) -> None:
    """Refuse a collective in any thread but the script's first: the order of collectives in two threads is undefined.

    PyTorch's own threads, which run a backward pass, are fine: the first thread waits for them.
    """
    rank = ranks.this_rank()
    if rank is not None and threading.get_ident() != rank.thread and threading.get_ident() in started_by_python():
        refuse(f"{what} in a second thread", "a rank communicates from its first thread, in one order on all ranks")


def started_by_python() -> set[int | None]:
    """The threads that Python itself started; Python represents any other thread by a dummy."""
    dummy = getattr(threading, "_DummyThread")  # noqa: B009
    return {thread.ident for thread in threading.enumerate() if not isinstance(thread, dummy)}


class Importer(importlib.abc.MetaPathFinder):
    """Refuses imports of packages that write kernels, and adds refusals to modules that are imported later."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name in REFUSED_IMPORTS:
            frame = sys._getframe(1)
            while frame.f_back is not None and frame.f_code.co_filename.startswith("<frozen importlib._bootstrap"):
                frame = frame.f_back
            # PyTorch itself, and importlib.util for the script, may check whether it exists.
            if explain.is_script(frame.f_code):
                refuse(f"import {name}", OWN_KERNELS, RefusedImport)
        if not any(name == row[0] for row in REFUSED):
            return None
        return finished_later(name, path, target, put_refusals)


def refuser(name: str, why: str) -> Any:
    """A class that replaces a function or class: it can be subclassed, and refuses when called."""

    class Refuser:
        def __init__(self, *args: Any, **settings: Any) -> None:
            refuse(name, why)

    return Refuser


def put_refusals(module: ModuleType) -> None:
    """Replace what cannot run."""
    for path, names, why in REFUSED:
        for name in names if path == module.__name__ else ():
            *owners, last = name.split(".")
            owner: Any = functools.reduce(getattr, owners, module)
            if hasattr(owner, last):
                setattr(owner, last, refuser(f"{path}.{name}", why))


def prepare(setting: ranks.Setting) -> None:
    for path, _, _ in REFUSED:
        if path in sys.modules:
            put_refusals(sys.modules[path])
    sys.meta_path.insert(0, Importer())
