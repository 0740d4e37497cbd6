"""A kernel of another package, as an operator of the namespace ndsim.

A function on CPU tensors computes it. To PyTorch and the simulated GPU it is like one of PyTorch's own kernels: its results are
on the GPU, a hollow run gets their shapes from the same function on meta tensors, CUDA graphs record it, and the price tables
have its price under its name.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

NAMESPACE = "ndsim"


@functools.cache
def library() -> Any:
    return importlib.import_module("torch.library").Library(NAMESPACE, "DEF")


def kernel(schema: str) -> Callable[[Callable[..., Any]], Any]:
    """Registers a function as the kernel with this schema: "square(Tensor x) -> Tensor"; "Tensor(a!) x" means that it writes to
    x.

    The function gets CPU tensors, or meta tensors, whose numbers it must not read; it returns new memory. A kernel has no
    gradient: callers build a torch.autograd.Function from two kernels.
    """

    def declare(function: Callable[..., Any]) -> Any:
        name = schema.partition("(")[0]
        library().define(schema)
        for device in ("CPU", "Meta"):
            library().impl(name, function, device)
        torch: Any = importlib.import_module("torch")
        return getattr(getattr(torch.ops, NAMESPACE), name).default

    return declare
