"""The loss of a language model of which each rank has a part of the vocabulary, in two kernels with a collective between them."""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any


@kernel("vocabulary_statistics(Tensor logits, Tensor target, int first) -> Tensor")
def vocabulary_statistics(logits: Tensor, target: Tensor, first: int) -> Tensor:
    """Of each row the largest logit, the sum of exponents below it, and the logit of the target, if it is here: [rows, 3]."""
    rows = logits.float()
    most = rows.amax(-1)
    total = (rows - most.unsqueeze(-1)).exp().sum(-1)
    own = target - first
    here = (own >= 0) & (own < logits.shape[-1])
    picked = rows.gather(-1, own.clamp(0, logits.shape[-1] - 1).unsqueeze(-1)).squeeze(-1)
    return torch.stack((most, total, torch.where(here, picked, float("-inf"))), -1)


@kernel("vocabulary_loss(Tensor logits, Tensor target, Tensor statistics, int first, int ignored) -> (Tensor, Tensor)")
def vocabulary_loss(logits: Tensor, target: Tensor, statistics: Tensor, first: int, ignored: int) -> tuple[Tensor, Tensor]:
    """Of all ranks' statistics, [ranks, rows, 3], the loss of each row, and the gradient of the logits."""
    most = statistics[..., 0].amax(0)
    total = (statistics[..., 1] * (statistics[..., 0] - most).exp()).sum(0)
    picked = statistics[..., 2].amax(0)
    counts = target != ignored
    loss = torch.where(counts, total.log() + most - picked, 0.0)
    shares = (logits.float() - most.unsqueeze(-1)).exp() / total.unsqueeze(-1)
    own = (torch.arange(logits.shape[-1], device=logits.device) + first) == target.unsqueeze(-1)
    return loss, ((shares - own.float()) * counts.unsqueeze(-1)).to(logits.dtype)
