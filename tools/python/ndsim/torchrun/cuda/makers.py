"""What makes tensors of Python's values: made on the host, and moved to the CUDA device that the script names.

C++ would go to that device by itself, past the dispatch mode.
"""

from __future__ import annotations

from typing import Any

import torch

Tensor = torch.Tensor
MAKERS = ("tensor", "as_tensor", "asarray", "sparse_coo_tensor", "sparse_csr_tensor", "from_file")
HostGenerator = torch.Generator


def is_cuda(device: Any) -> bool:
    """Whether a script means a CUDA device: "cuda", 1, torch.device."""
    return isinstance(device, int) or (device is not None and torch.device(device).type == "cuda")


def maker(real: Any) -> Any:
    """The same function, which makes its tensor on the host and moves it."""

    def make(*args: Any, device: Any = None, pin_memory: bool = False, requires_grad: bool = False, **kwargs: Any) -> Tensor:
        if device is not None and not is_cuda(device):
            kwargs["device"] = device
        made: Tensor = real(*args, **kwargs)
        if is_cuda(device):
            made = made.to(device)
        return made.requires_grad_() if requires_grad else made

    return make


class OfAnyDevice(type):
    """The class of classes that stand for PyTorch's generators."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, HostGenerator)


class Generator(metaclass=OfAnyDevice):
    """torch.Generator: one of the host, whatever its device."""

    def __new__(cls, device: Any = None) -> Any:
        return HostGenerator()


def install() -> None:
    for name in MAKERS:
        if hasattr(torch, name):
            setattr(torch, name, maker(getattr(torch, name)))
    torch.Generator = Generator  # type: ignore[assignment, misc]
