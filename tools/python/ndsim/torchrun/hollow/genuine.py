"""Makes PyTorch's own shape functions call PyTorch's original functions, even if a script replaces them.

A script that creates its model on another device patches `torch.empty` and similar functions, and would move PyTorch's shape
computations there, too.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

# The modules that compute the shapes of operators' results in Python.
MODULES = (
    "torch._meta_registrations",
    "torch._prims",
    "torch._prims_common",
    "torch._prims_common.wrappers",
    "torch._refs",
    "torch._decomp.decompositions",
)


def keep(torch: Any) -> None:
    """Make these modules see PyTorch as it is now."""
    genuine = types.ModuleType("torch")
    vars(genuine).update(vars(torch))
    # Names that PyTorch imports lazily.
    vars(genuine)["__getattr__"] = lambda name: getattr(torch, name)
    for name in MODULES:
        module: Any = importlib.import_module(name)
        module.torch = genuine
