"""Triton kernels that are known by their names: a file for each package that brings some.

Its KERNELS has a function for the name of each, which launches an operator of `kernels/` in its place. A function has parameters by the
names of the kernel's arguments, those that it needs: one that has no default has to be among them, or the launch is refused, since the
kernel is not the one that is known.
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
    """By the module and the name of each."""
    found: dict[str, Launch] = {}
    if package in PACKAGES:
        module: Any = importlib.import_module(f"{__name__}.{package}")
        found = module.KERNELS
    return found


def known(module: str, name: str) -> Launch | None:
    return kernels_of(module.partition(".")[0]).get(f"{module}.{name}")
