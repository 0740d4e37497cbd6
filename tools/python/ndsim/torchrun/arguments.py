"""What operators of PyTorch are given, and those whose result depends on more than its shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch

# How large their result is depends on numbers.
SHAPED_BY_NUMBERS = {
    "aten::nonzero",
    "aten::masked_select",
    "aten::_unique",
    "aten::_unique2",
    "aten::unique_dim",
    "aten::unique_consecutive",
    "aten::repeat_interleave",
    "aten::bincount",
}


def tensors_in(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    """Those in the values, and in lists of them."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
