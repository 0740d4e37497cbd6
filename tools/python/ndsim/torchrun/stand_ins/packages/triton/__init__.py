"""Triton: kernels can be defined; `ndsim.torchrun.stand_ins.triton_kernels` launches those that it knows.

It also replaces an installed Triton, which could not launch anything. PyTorch does not see it.
"""

from __future__ import annotations

from typing import Any

from ndsim.torchrun.stand_ins.triton_kernels import hide_from_torch, jit, same_kernel

from . import language as language
from . import runtime as runtime

__version__ = "3.9.0"

hide_from_torch()

autotune = heuristics = same_kernel
JITFunction = runtime.JITFunction
__all__ = ["Config", "JITFunction", "autotune", "cdiv", "heuristics", "jit", "language", "next_power_of_2", "runtime"]


class Config:
    """One configuration of an autotuner."""

    def __init__(self, kwargs: dict[str, Any], num_warps: int = 4, num_stages: int = 3, **settings: Any) -> None:
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages


def cdiv(x: int, y: int) -> int:
    return -(-x // y)


def next_power_of_2(n: int) -> int:
    return 1 << (n - 1).bit_length() if n > 0 else 0
