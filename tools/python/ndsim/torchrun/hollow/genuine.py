"""PyTorch's own functions of shapes call the functions that PyTorch came with, whatever a script puts in their place.

A script that makes its model on another device patches `torch.empty` and its like; what PyTorch then computes of shapes would lie there.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

# Where PyTorch has in Python how large an operator's result is.
MODULES = (
    "torch._meta_registrations",
    "torch._prims",
    "torch._prims_common",
    "torch._prims_common.wrappers",
    "torch._refs",
    "torch._decomp.decompositions",
)


def keep(torch: Any) -> None:
    """Let these modules see PyTorch as it is now."""
    genuine = types.ModuleType("torch")
    vars(genuine).update(vars(torch))
    # What PyTorch imports only when it is asked for.
    vars(genuine)["__getattr__"] = lambda name: getattr(torch, name)
    for name in MODULES:
        module: Any = importlib.import_module(name)
        module.torch = genuine
