"""FP8 tensors: casts with one scale or one per block, and matmuls."""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any

LARGEST = {False: 448.0, True: 57344.0}  # e4m3, e5m2


def kind_of(e5m2: bool) -> torch.dtype:
    return torch.float8_e5m2 if e5m2 else torch.float8_e4m3fn


@kernel("fp8_amax(Tensor input) -> Tensor")
def fp8_amax(given: Tensor) -> Tensor:
    return given.float().abs().amax().view(1) if given.numel() else torch.zeros(1, device=given.device)


@kernel("fp8_scale_of(Tensor amax, bool e5m2) -> Tensor")
def fp8_scale_of(amax: Tensor, e5m2: bool) -> Tensor:
    """The scale that maps amax to the largest value of the type; 1 if that scale would not be finite."""
    scale = LARGEST[e5m2] / amax
    return torch.where(scale.isfinite(), scale, torch.ones_like(scale))


@kernel("fp8_cast(Tensor input, Tensor scale, bool e5m2, bool turned) -> (Tensor, Tensor, Tensor)")
def fp8_cast(given: Tensor, scale: Tensor, e5m2: bool, turned: bool) -> tuple[Tensor, ...]:
    """The cast rows, their transpose if requested, and the input's amax."""
    most = LARGEST[e5m2]
    made = (given.float() * scale).clamp(-most, most).to(kind_of(e5m2))
    other = made.t().contiguous() if turned else made.new_empty(0)
    return made, other, given.float().abs().amax().view(1)


@kernel("fp8_transpose(Tensor input) -> Tensor")
def fp8_transpose(given: Tensor) -> Tensor:
    return given.t().contiguous()


def in_blocks(given: Tensor, rows: int, columns: int) -> Tensor:
    """[blocks of rows, rows, blocks of columns, columns], padded with 0."""
    high, wide = -given.shape[0] % rows, -given.shape[1] % columns
    full = torch.nn.functional.pad(given, (0, wide, 0, high))
    return full.view(full.shape[0] // rows, rows, full.shape[1] // columns, columns)


@kernel("fp8_cast_blocks(Tensor input, bool e5m2, int rows, int columns, bool power_of_two) -> (Tensor, Tensor)")
def fp8_cast_blocks(given: Tensor, e5m2: bool, rows: int, columns: int, power_of_two: bool) -> tuple[Tensor, Tensor]:
    """The cast values, and the factor that restores each block."""
    blocks = in_blocks(given.float(), rows, columns)
    scale = LARGEST[e5m2] / blocks.abs().amax((1, 3), keepdim=True)
    scale = torch.where(scale.isfinite(), scale, torch.ones_like(scale))
    if power_of_two:
        scale = scale.log2().floor().exp2()
    made = (blocks * scale).view(blocks.shape[0] * rows, blocks.shape[2] * columns)
    return made[: given.shape[0], : given.shape[1]].to(kind_of(e5m2)), 1 / scale[:, 0, :, 0]


def restored(given: Tensor, inverse: Tensor, block: list[int]) -> Tensor:
    """Dequantise to single precision."""
    if inverse.numel() == 1:
        return given.float() * inverse
    each = inverse.repeat_interleave(block[0], 0)[: given.shape[0]].repeat_interleave(block[1], 1)[:, : given.shape[1]]
    return given.float() * each


SIDES = "Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, int[] block_a, int[] block_b"


@kernel(f"fp8_mm({SIDES}, Tensor? bias, ScalarType dtype) -> Tensor")
def fp8_mm(
    first: Tensor, second: Tensor, of_first: Tensor, of_second: Tensor, block: list[int], other: list[int], bias: Any, dtype: Any
) -> Tensor:
    """first @ second.t(): both are contiguous by rows."""
    made = restored(first, of_first, block) @ restored(second, of_second, other).t()
    return (made if bias is None else made + bias.float()).to(dtype)


@kernel(f"fp8_mm_into(Tensor(a!) sums, {SIDES}) -> ()")
def fp8_mm_into(
    sums: Tensor, first: Tensor, second: Tensor, of_first: Tensor, of_second: Tensor, block: list[int], other: list[int]
) -> None:
    sums.add_((restored(first, of_first, block) @ restored(second, of_second, other).t()).view(sums.shape))


@kernel("fp8_update_scales(Tensor amax, Tensor(a!) histories, Tensor(b!) scales, Tensor e5m2, float margin, bool latest) -> ()")
def fp8_update_scales(
    amax: Tensor, histories: Tensor, scales: Tensor, e5m2: Tensor, margin: float, latest: bool
) -> None:
    """Shift a step's amaxes into the history, [steps, tensors], whose maxima give the next scales."""
    histories.copy_(torch.cat((amax.unsqueeze(0), histories[:-1])))
    largest = histories[0] if latest else histories.amax(0)
    most = torch.where(e5m2 != 0, LARGEST[True], LARGEST[False])
    wanted = most / largest / 2.0**margin
    scales.copy_(torch.where(wanted.isfinite() & (largest > 0), wanted, scales))
