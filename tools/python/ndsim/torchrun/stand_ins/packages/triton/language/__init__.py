"""The language of Triton's kernels: has any name, for kernels that are written but never compiled."""

from __future__ import annotations

from typing import Any

from ndsim.torchrun.stand_ins.triton_kernels import Anything


class constexpr(Anything):
    """A compile-time constant of a kernel."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything()
