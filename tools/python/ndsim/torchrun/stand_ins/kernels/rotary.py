"""Rotary position embeddings: rotate pairs of numbers by an angle that depends on their position."""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any

HOW = "Tensor cos, Tensor sin, Tensor? offsets, int offset, Tensor? starts, bool interleaved, bool conjugate"


def places(x: Any, offsets: Any, offset: int, starts: Any) -> Any:
    """The position of each token: [tokens], or [sequences, tokens]."""
    if starts is None:
        counted = torch.arange(x.shape[1])
        return counted + offset if offsets is None else offsets.long().unsqueeze(1) + counted
    begins = starts.long()
    lengths = begins.diff()
    first = offset - begins[:-1] if offsets is None else offsets.long() - begins[:-1]
    total = int(begins[-1])
    found = torch.zeros(x.shape[0], dtype=torch.long)
    found[:total] = torch.arange(total) + first.repeat_interleave(lengths)
    return found


def turned(
    x: Any, cos: Any, sin: Any, offsets: Any, offset: int, starts: Any, interleaved: bool, conjugate: bool
) -> Any:
    """The rotated x, in single precision."""
    at = places(x, offsets, offset, starts)
    c, s = (table.float()[at].unsqueeze(-2) for table in (cos, sin))
    s = -s if conjugate else s
    width = 2 * cos.shape[-1]
    first, rest = x[..., :width].float(), x[..., width:].float()
    if interleaved:
        a, b = first[..., 0::2], first[..., 1::2]
        both = torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
    else:
        a, b = first.chunk(2, -1)
        both = torch.cat([a * c - b * s, a * s + b * c], -1)
    return torch.cat([both, rest], -1)


@kernel(f"rotary(Tensor x, {HOW}) -> Tensor")
def rotary(x: Any, *how: Any) -> Any:
    """x: [sequences, tokens, heads, width], or [tokens, heads, width] of packed sequences that begin at `starts`."""
    result = torch.empty_like(x, memory_format=torch.contiguous_format)
    return result if x.is_meta else result.copy_(turned(x, *how))


@kernel(f"rotary_(Tensor(a!) x, {HOW}) -> ()")
def rotary_in_place(x: Any, *how: Any) -> None:
    if not x.is_meta:
        x.copy_(turned(x, *how))


def turned_by_half(pairs: Tensor, interleaved: bool) -> Tensor:
    """(a, b) becomes (-b, a), for neighbouring elements or for halves."""
    if interleaved:
        return torch.stack((-pairs[..., 1::2], pairs[..., ::2]), -1).flatten(-2)
    first, second = pairs.chunk(2, -1)
    return torch.cat((-second, first), -1)


def parts(given: Tensor, angles: Tensor) -> tuple[Tensor, Tensor]:
    """The rotated part, in single precision, and the part wider than the angles, which passes through."""
    width = angles.shape[-1]
    return given[..., :width].float(), given[..., width:]


@kernel("fused_rope_fwd(Tensor input, Tensor angles, bool interleaved) -> Tensor")
def fused_rope_fwd(given: Tensor, angles: Tensor, interleaved: bool) -> Tensor:
    """Rotates [..., heads, width] by angles for its leading dimensions, in single precision."""
    pairs, rest = parts(given, angles)
    made = pairs * angles.cos() + turned_by_half(pairs, interleaved) * angles.sin()
    return torch.cat((made.to(given.dtype), rest), -1)


@kernel("fused_rope_bwd(Tensor grad, Tensor angles, bool interleaved) -> Tensor")
def fused_rope_bwd(grad: Tensor, angles: Tensor, interleaved: bool) -> Tensor:
    pairs, rest = parts(grad, angles)
    made = pairs * angles.cos() - turned_by_half(pairs * angles.sin(), interleaved)
    return torch.cat((made.to(grad.dtype), rest), -1)
