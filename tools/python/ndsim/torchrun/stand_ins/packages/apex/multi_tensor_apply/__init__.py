"""Apex's way of calling a kernel over lists of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class MultiTensorApply:
    """Calls the kernel with a chunk size in elements."""

    available = True

    def __init__(self, chunk_size: int) -> None:
        self.chunk_size = chunk_size

    def __call__(self, op: Callable[..., Any], noop_flag_buffer: Any, tensor_lists: Any, *args: Any) -> Any:
        return op(self.chunk_size, noop_flag_buffer, tensor_lists, *args)


multi_tensor_applier = MultiTensorApply(2048 * 32)
