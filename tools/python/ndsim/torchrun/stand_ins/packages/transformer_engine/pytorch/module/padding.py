"""Pads each expert's rows to the multiples that FP8 matmuls need."""

from __future__ import annotations

from typing import Any

import torch

from ..fp8 import FP8GlobalStateManager


def alignment() -> int:
    recipe = FP8GlobalStateManager.get_fp8_recipe()
    return 32 if recipe is not None and recipe.mxfp8() else 16


class Fp8Padding(torch.nn.Module):
    """Appends rows of zeros to those of each expert."""

    def __init__(self, num_gemms: int, align_size: int | None = None) -> None:
        super().__init__()
        self.num_gemms = num_gemms
        self.align_size = align_size

    def forward(self, given: Any, m_splits: list[int]) -> tuple[Any, list[int]]:
        step = self.align_size or alignment()
        padded = [(rows + step - 1) // step * step for rows in m_splits]
        if padded == list(m_splits):
            return given, list(m_splits)
        parts = given.split(list(m_splits))
        pads = [torch.nn.functional.pad(part, (0, 0, 0, more - part.shape[0])) for part, more in zip(parts, padded)]
        return torch.cat(pads), padded


class Fp8Unpadding(torch.nn.Module):
    """Removes the padding rows."""

    def __init__(self, num_gemms: int, align_size: int | None = None) -> None:
        super().__init__()
        self.num_gemms = num_gemms
        self.align_size = align_size

    def forward(self, given: Any, m_splits: list[int]) -> Any:
        step = self.align_size or alignment()
        padded = [(rows + step - 1) // step * step for rows in m_splits]
        if padded == list(m_splits):
            return given
        return torch.cat([part[:rows] for part, rows in zip(given.split(padded), m_splits)])
