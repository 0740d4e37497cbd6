"""Rotary position embeddings: pairs of numbers that are turned by an angle of their place."""

from __future__ import annotations

import importlib
from typing import Any

from ..kernel import kernel

torch: Any = importlib.import_module("torch")

HOW = "Tensor cos, Tensor sin, Tensor? offsets, int offset, Tensor? starts, bool interleaved, bool conjugate"


def places(x: Any, offsets: Any, offset: int, starts: Any) -> Any:
    """The place of each token: [tokens], or [sequences, tokens]."""
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
    """x as it is turned, in single precision."""
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
    """x: [sequences, tokens, heads, width], or [tokens, heads, width] of sequences that begin at `starts`."""
    result = torch.empty_like(x, memory_format=torch.contiguous_format)
    return result if x.is_meta else result.copy_(turned(x, *how))


@kernel(f"rotary_(Tensor(a!) x, {HOW}) -> ()")
def rotary_in_place(x: Any, *how: Any) -> None:
    if not x.is_meta:
        x.copy_(turned(x, *how))
