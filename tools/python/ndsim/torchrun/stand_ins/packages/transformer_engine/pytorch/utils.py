"""Small queries about GPUs and shapes."""

from __future__ import annotations

from typing import Any

import torch


def get_device_compute_capability() -> tuple[int, int]:
    return torch.cuda.get_device_capability()


def divide(numerator: int, denominator: int) -> int:
    if numerator % denominator:
        raise AssertionError(f"{numerator} is not divisible by {denominator}")
    return numerator // denominator


def cast_if_needed(tensor: Any, dtype: torch.dtype) -> Any:
    return tensor if tensor is None or tensor.dtype == dtype else tensor.to(dtype)
