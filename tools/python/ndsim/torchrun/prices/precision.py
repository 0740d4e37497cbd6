"""The precision that an operator is counted in: that of its tensors, or what autocast and TF32 make of it.

Autocast for CUDA computes products in its type and keeps some operators in fp32. What runs here runs on a CPU: either under
autocast for CPUs as well, which really casts, but to bf16 alone, so that bf16 counts as autocast's type from then on; or
without, in fp32, which counts as that type while autocast is on and in the backward pass of what ran under it. PyTorch 1.13
does not tell whether a backward pass runs; watch_backward() does.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import torch

NAMES = {torch.float16: "fp16", torch.bfloat16: "bf16"}
_BACKWARD_CALLS = ("backward", "grad")
_graph_task = getattr(torch._C, "_current_graph_task_id", None)


class Counted(NamedTuple):
    """What types count as: fp32 in products and as bytes (None: as itself), bf16 in products."""

    fp32: torch.dtype | None = None
    bf16: torch.dtype = torch.bfloat16


_AS_IT_IS = Counted()


class Autocast:
    """What autocast makes of types, as a script switches it."""

    def __init__(self) -> None:
        self._last: torch.dtype | None = None
        self._cast = _AS_IT_IS
        self._depth = 0

    def now(self) -> Counted:
        if torch.is_autocast_enabled():
            dtype = torch.get_autocast_gpu_dtype()
            if torch.is_autocast_cpu_enabled():
                self._last = None
                if self._cast.bf16 is not dtype:
                    self._cast = Counted(None, dtype)
                return self._cast
            self._last = dtype
            return Counted(dtype)
        if self._last is None:
            return self._cast
        if self._depth or (_graph_task is not None and _graph_task() != -1):
            return Counted(self._last)
        if torch.is_grad_enabled():
            self._last = None  # a forward pass without it: so is its backward pass
        return self._cast

    def watch_backward(self) -> None:
        """Let every backward pass of this process be noticed. Called once, before the script runs."""
        for name in _BACKWARD_CALLS:
            setattr(torch.autograd, name, self._noticed(getattr(torch.autograd, name)))

    def _noticed(self, call: Any) -> Any:
        @functools.wraps(call)
        def noticed(*args: Any, **kwargs: Any) -> Any:
            self._depth += 1
            try:
                return call(*args, **kwargs)
            finally:
                self._depth -= 1

        return noticed


def of_product(tensor: torch.Tensor, counted: Counted, tf32: bool) -> str:
    """The name of the precision that a product with this tensor is made in."""
    dtype: torch.dtype | None = tensor.dtype
    if dtype is torch.bfloat16:
        dtype = counted.bf16
    elif dtype is torch.float32:
        dtype = counted.fp32
        if dtype is None and tf32:
            return "tf32"
    return NAMES.get(dtype, "fp32") if dtype is not None else "fp32"


def products_in_tf32() -> bool:
    """torch.backends.cuda.matmul.allow_tf32, which set_float32_matmul_precision changes, too."""
    return bool(torch._C._get_cublas_allow_tf32())


def convolutions_in_tf32() -> bool:
    """torch.backends.cudnn.allow_tf32, which is on unless a script turns it off."""
    return bool(torch._C._get_cudnn_allow_tf32())
