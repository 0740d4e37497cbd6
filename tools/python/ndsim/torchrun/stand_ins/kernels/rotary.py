"""Rotary positions in one kernel, forward and backward."""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any


def turned_by_half(pairs: Tensor, interleaved: bool) -> Tensor:
    """(a, b) becomes (-b, a), of neighbours or of halves."""
    if interleaved:
        return torch.stack((-pairs[..., 1::2], pairs[..., ::2]), -1).flatten(-2)
    first, second = pairs.chunk(2, -1)
    return torch.cat((-second, first), -1)


def parts(given: Tensor, angles: Tensor) -> tuple[Tensor, Tensor]:
    """What is turned, in single precision, and what is wider than the angles and passes as it is."""
    width = angles.shape[-1]
    return given[..., :width].float(), given[..., width:]


@kernel("fused_rope_fwd(Tensor input, Tensor angles, bool interleaved) -> Tensor")
def fused_rope_fwd(given: Tensor, angles: Tensor, interleaved: bool) -> Tensor:
    """[..., heads, width] by angles of its leading sides, in single precision."""
    pairs, rest = parts(given, angles)
    made = pairs * angles.cos() + turned_by_half(pairs, interleaved) * angles.sin()
    return torch.cat((made.to(given.dtype), rest), -1)


@kernel("fused_rope_bwd(Tensor grad, Tensor angles, bool interleaved) -> Tensor")
def fused_rope_bwd(grad: Tensor, angles: Tensor, interleaved: bool) -> Tensor:
    pairs, rest = parts(grad, angles)
    made = pairs * angles.cos() - turned_by_half(pairs * angles.sin(), interleaved)
    return torch.cat((made.to(grad.dtype), rest), -1)
