"""Triton kernels that are recognised by name: a file for each package that brings some.

Its KERNELS maps a kernel's name to a function that launches an operator of `kernels/` instead. The function's parameters are
named like the kernel arguments that it needs. If one without a default is missing, the launch is refused, because the kernel is
not the known one.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

Launch = Callable[..., None]
PACKAGES = frozenset(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))


@functools.cache
def kernels_of(package: str) -> dict[str, Launch]:
    """Launch functions by module and name."""
    found: dict[str, Launch] = {}
    if package in PACKAGES:
        module: Any = importlib.import_module(f"{__name__}.{package}")
        found = module.KERNELS
    return found


def known(module: str, name: str) -> Launch | None:
    return kernels_of(module.partition(".")[0]).get(f"{module}.{name}")
