"""A kernel of another package's: an operator of the namespace ndsim.

It is computed by a function of tensors of the CPU, and is to PyTorch and to the simulated GPU what one of PyTorch's own kernels is: its
results lie on the GPU, a hollow run has their shapes from the same function on tensors without numbers, CUDA graphs record it, and its
price stands by its name in the tables of prices.
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
    """Makes a function the kernel of that schema: "square(Tensor x) -> Tensor"; "Tensor(a!) x": it writes there.

    The function is given tensors of the CPU, or of the device meta, where it must not ask for numbers; what it returns is new memory.
    A kernel has no gradient: who calls it writes a torch.autograd.Function of two.
    """

    def declare(function: Callable[..., Any]) -> Any:
        name = schema.partition("(")[0]
        library().define(schema)
        for device in ("CPU", "Meta"):
            library().impl(name, function, device)
        torch: Any = importlib.import_module("torch")
        return getattr(getattr(torch.ops, NAMESPACE), name).default

    return declare
