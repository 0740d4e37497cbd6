"""Cross entropy of rows of logits, or of a shard of their columns: one kernel for each direction."""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any

HOW = "float smoothing, float logit_scale, float lse_square_scale, int ignore_index, int classes, int first_class"


def of_labels(logits: Any, labels: Any, first_class: int) -> tuple[Any, Any]:
    """The column of each row's label, and whether it is among these columns."""
    columns = labels - first_class
    here = (columns >= 0) & (columns < logits.shape[-1])
    return columns.where(here, 0), here


@kernel(f"cross_entropy_forward(Tensor logits, Tensor labels, Tensor? known_lse, {HOW}) -> (Tensor, Tensor, Tensor)")
def cross_entropy_forward(
    logits: Any,
    labels: Any,
    known_lse: Any,
    smoothing: float,
    logit_scale: float,
    lse_square_scale: float,
    ignore_index: int,
    classes: int,
    first_class: int,
) -> tuple[Any, Any, Any]:
    """Losses, the logsumexp of each row, and the z-loss part of each loss.

    If these are not all columns, losses exclude the logsumexp: the caller combines those of all ranks.
    """
    scaled = logits.float() * logit_scale
    lse = scaled.logsumexp(-1) if known_lse is None else known_lse.float().clone()
    columns, here = of_labels(scaled, labels, first_class)
    picked = scaled.gather(1, columns.unsqueeze(1)).squeeze(1) * here
    losses = -(1 - smoothing) * picked
    if smoothing > 0:
        losses = losses - smoothing * scaled.sum(-1) / classes
    squares = torch.zeros_like(lse)
    if logits.shape[-1] == classes:
        squares = lse_square_scale * lse.square()
        losses = losses + lse + squares
    ignored = labels == ignore_index
    return losses.masked_fill(ignored, 0), lse, squares.masked_fill(ignored, 0)


def gradient_of(
    grad: Any,
    logits: Any,
    lse: Any,
    labels: Any,
    smoothing: float,
    logit_scale: float,
    lse_square_scale: float,
    ignore_index: int,
    classes: int,
    first_class: int,
) -> Any:
    scaled = logits.float() * logit_scale
    found = (scaled - lse.unsqueeze(1)).exp() * (1 + 2 * lse_square_scale * lse).unsqueeze(1)
    columns, here = of_labels(scaled, labels, first_class)
    found = found - smoothing / classes
    found.scatter_add_(1, columns.unsqueeze(1), (-(1 - smoothing) * here.float()).unsqueeze(1))
    rows = (grad.float() * logit_scale).masked_fill(labels == ignore_index, 0)
    return (found * rows.unsqueeze(1)).to(logits.dtype)


@kernel(f"cross_entropy_backward(Tensor grad, Tensor logits, Tensor lse, Tensor labels, {HOW}) -> Tensor")
def cross_entropy_backward(grad: Any, logits: Any, *rest: Any) -> Any:
    return torch.empty_like(logits) if logits.is_meta else gradient_of(grad, logits, *rest)


@kernel(f"cross_entropy_backward_(Tensor grad, Tensor(a!) logits, Tensor lse, Tensor labels, {HOW}) -> ()")
def cross_entropy_backward_in_place(grad: Any, logits: Any, *rest: Any) -> None:
    if not logits.is_meta:
        logits.copy_(gradient_of(grad, logits, *rest))


@kernel("vocabulary_statistics(Tensor logits, Tensor target, int first) -> Tensor")
def vocabulary_statistics(logits: Tensor, target: Tensor, first: int) -> Tensor:
    """For each row the largest logit, the sum of exponentials relative to it, and the target's logit if it is here: [rows, 3]."""
    rows = logits.float()
    most = rows.amax(-1)
    total = (rows - most.unsqueeze(-1)).exp().sum(-1)
    own = target - first
    here = (own >= 0) & (own < logits.shape[-1])
    picked = rows.gather(-1, own.clamp(0, logits.shape[-1] - 1).unsqueeze(-1)).squeeze(-1)
    return torch.stack((most, total, torch.where(here, picked, float("-inf"))), -1)


@kernel("vocabulary_loss(Tensor logits, Tensor target, Tensor statistics, int first, int ignored) -> (Tensor, Tensor)")
def vocabulary_loss(logits: Tensor, target: Tensor, statistics: Tensor, first: int, ignored: int) -> tuple[Tensor, Tensor]:
    """From all ranks' statistics, [ranks, rows, 3], the loss of each row, and the gradient of the logits."""
    most = statistics[..., 0].amax(0)
    total = (statistics[..., 1] * (statistics[..., 0] - most).exp()).sum(0)
    picked = statistics[..., 2].amax(0)
    counts = target != ignored
    loss = torch.where(counts, total.log() + most - picked, 0.0)
    shares = (logits.float() - most.unsqueeze(-1)).exp() / total.unsqueeze(-1)
    own = (torch.arange(logits.shape[-1], device=logits.device) + first) == target.unsqueeze(-1)
    return loss, ((shares - own.float()) * counts.unsqueeze(-1)).to(logits.dtype)
