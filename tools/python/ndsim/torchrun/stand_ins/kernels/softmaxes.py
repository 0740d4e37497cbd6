"""Softmax of scaled and masked scores in one kernel: Megatron's, which Apex builds, and TransformerEngine's."""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any

HIDDEN = -10000.0  # value of a masked score


@kernel("scaled_softmax_fwd(Tensor scores, float scale) -> Tensor")
def scaled_softmax_fwd(scores: Tensor, scale: float) -> Tensor:
    return (scores.float() * scale).softmax(-1).to(scores.dtype)


@kernel("scaled_masked_softmax_fwd(Tensor scores, Tensor mask, float scale) -> Tensor")
def scaled_masked_softmax_fwd(scores: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Hides scores where the mask is not 0; a row that sees nothing becomes 0."""
    hidden = mask.bool()
    shares = (scores.float() * scale).masked_fill(hidden, HIDDEN).softmax(-1)
    return shares.masked_fill(hidden.all(-1, keepdim=True), 0).to(scores.dtype)


@kernel("scaled_causal_softmax_fwd(Tensor scores, float scale, int diagonal) -> Tensor")
def scaled_causal_softmax_fwd(scores: Tensor, scale: float, diagonal: int) -> Tensor:
    """Row i of [..., queries, keys] sees keys 0 to i + `diagonal`."""
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1 + diagonal)
    return (scores.float() * scale).masked_fill(hidden, float("-inf")).softmax(-1).nan_to_num(0).to(scores.dtype)


@kernel("scaled_softmax_bwd(Tensor grad, Tensor shares, float scale) -> Tensor")
def scaled_softmax_bwd(grad: Tensor, shares: Tensor, scale: float) -> Tensor:
    """Serves all of them: a hidden score has a share of 0."""
    weighted = grad.float() * shares.float()
    return ((weighted - shares.float() * weighted.sum(-1, keepdim=True)) * scale).to(grad.dtype)
