"""The language of Triton's kernels: any name is there, for a kernel that is written and never compiled."""

from __future__ import annotations

from typing import Any

from ndsim.torchrun.stand_ins.triton_kernels import Anything


class constexpr(Anything):
    """A number that a kernel is compiled for."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything()
