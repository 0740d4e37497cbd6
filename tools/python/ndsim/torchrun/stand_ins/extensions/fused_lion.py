"""DeepSpeed's Lion for GPUs."""

from __future__ import annotations

from typing import Any

from ..kernels import optimizers


def multi_tensor_lion(
    chunk_size: int, noop_flag: Any, tensor_lists: list[list[Any]], lr: float, beta1: float, beta2: float, step: int, mode: int, weight_decay: float
) -> None:
    """tensor_lists: gradients, parameters, moments. Step and mode have no effect, as in the real extension."""
    optimizers.multi_tensor_lion(noop_flag, *tensor_lists, lr, beta1, beta2, weight_decay)
