"""DeepSpeed's flattening of tensor lists into one tensor, and back."""

from __future__ import annotations

import importlib
from typing import Any


def flatten(tensors: list[Any]) -> Any:
    return importlib.import_module("torch._utils")._flatten_dense_tensors(tensors)


def unflatten(flat: Any, tensors: list[Any]) -> Any:
    return importlib.import_module("torch._utils")._unflatten_dense_tensors(flat, tensors)
