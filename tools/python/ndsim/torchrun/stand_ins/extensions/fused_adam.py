"""DeepSpeed's Adam for GPUs."""

from __future__ import annotations

from typing import Any

from ..kernels import optimizers


def multi_tensor_adam(chunk_size: int, noop_flag: Any, tensor_lists: list[list[Any]], *settings: Any) -> None:
    """tensor_lists: gradients, parameters, first and second moments; settings: those of the kernel with the same name."""
    optimizers.multi_tensor_adam(noop_flag, *tensor_lists, *settings)
