"""FP8 tensors as operands of a layer's matmuls."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
import torch.distributed as dist
from ndsim.torchrun.stand_ins.kernels import fp8 as kernels

from ...common.recipe import DelayedScaling, Recipe
from ..fp8 import INPUT, WEIGHT, Meta, is_wide

BLOCK = 128
MX_BLOCK = 32


@dataclasses.dataclass
class Side:
    """FP8 rows with their scale factors: one, or one per block."""

    rows: Any
    inverse: Any
    block: tuple[int, int] = (1, 1)


@dataclasses.dataclass
class Operand:
    """A tensor and its transpose, as FP8 matmuls need their operands in memory."""

    plain: Side
    turned: Side | None = None


def cast(given: Any, of: int, meta: tuple[Meta | None, Recipe], turned: bool, group: Any = None) -> Operand:
    """`group`: the ranks whose rows are multiplied together and therefore share a scale."""
    delayed, recipe = meta
    wide = is_wide(recipe, of)
    if not recipe.float8_per_tensor_scaling():
        return cast_in_blocks(given, of, recipe, wide, turned)
    if isinstance(recipe, DelayedScaling) and delayed is not None:
        scale = delayed.scales[of : of + 1]
        rows, other, amax = kernels.fp8_cast(given, scale, wide, turned)
        delayed.amaxes[of : of + 1].copy_(amax)
    else:
        amax = kernels.fp8_amax(given)
        if group is not None:
            dist.all_reduce(amax, op=dist.ReduceOp.MAX, group=group)
        scale = kernels.fp8_scale_of(amax, wide)
        rows, other, _ = kernels.fp8_cast(given, scale, wide, turned)
    inverse = scale.reciprocal()
    return Operand(Side(rows, inverse), Side(other, inverse) if turned else None)


def cast_in_blocks(given: Any, of: int, recipe: Recipe, wide: bool, turned: bool) -> Operand:
    mx = recipe.mxfp8()
    block = (1, MX_BLOCK) if mx else (BLOCK, BLOCK) if of == WEIGHT else (1, BLOCK)
    plain = Side(*kernels.fp8_cast_blocks(given, wide, *block, True), block)
    other = Side(*kernels.fp8_cast_blocks(given.t(), wide, *block, True), block) if turned else None
    return Operand(plain, other)


def check_sides(*given: Any) -> None:
    for tensor in given:
        if tensor.shape[0] % 8 or tensor.shape[1] % 16:
            raise AssertionError(
                "FP8 execution requires the product of all dimensions except the last to be divisible by 8 and the last "
                f"dimension to be divisible by 16, but got tensor with dims={list(tensor.shape)}"
            )


def product(first: Side, second: Side, bias: Any, dtype: torch.dtype) -> Any:
    """first @ second.t()"""
    return kernels.fp8_mm(first.rows, second.rows, first.inverse, second.inverse, first.block, second.block, bias, dtype)


def product_into(sums: Any, first: Side, second: Side) -> None:
    kernels.fp8_mm_into(sums, first.rows, second.rows, first.inverse, second.inverse, first.block, second.block)


__all__ = ["INPUT", "WEIGHT", "Operand", "Side", "cast", "check_sides", "product", "product_into"]
