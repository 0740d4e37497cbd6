"""Liger's cross entropy: one kernel computes the losses of all rows and overwrites their logits with the gradients."""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any

HOW = (
    "Tensor target, Tensor? weight, int ignored, float smoothing, float lse_square_scale, float? softcap, float count, "
    "float weight_of_count, float weight_sum"
)
WRITTEN = "Tensor(b!) loss, Tensor(c!)? z_loss, Tensor(d!)? accuracy, Tensor(e!)? predicted"


class Rows:
    """Rows of logits; losses and gradients are computed in single precision."""

    def __init__(
        self, logits: Tensor, target: Tensor, weight: Tensor, ignored: int, smoothing: float, square: float, softcap: Any
    ) -> None:
        self.is_ignored = target == ignored
        self.label = target.masked_fill(self.is_ignored, 0).unsqueeze(1)
        self.slope = torch.ones(())
        self.logits = logits.float()
        if softcap is not None:
            share = (self.logits / softcap).tanh()
            self.logits, self.slope = softcap * share, 1 - share.square()
        self.lse = self.logits.logsumexp(-1, keepdim=True)
        self.picked = self.logits.gather(1, self.label)
        self.square = square
        self.smoothing, self.each = smoothing, smoothing / logits.shape[1]
        self.weight = None if weight is None else weight.float()
        self.of_label = torch.ones(()) if weight is None else self.weight[self.label]

    def losses(self, count: float, weight_of_count: float, weight_sum: float) -> tuple[Tensor, Tensor]:
        """Each row's loss, and the z-loss part of it."""
        found = self.of_label * (self.lse - self.picked)
        if self.smoothing > 0:
            weighted = self.logits if self.weight is None else self.logits * self.weight
            total = self.logits.shape[1] if self.weight is None else weight_sum
            found = found * (1 - self.smoothing) + self.each * (self.lse * total - weighted.sum(-1, keepdim=True))
        squares = self.square * self.lse.square() / count
        return found / (count if self.weight is None else weight_of_count) + squares, squares

    def gradient(self, count: float, weight_of_count: float, weight_sum: float) -> Tensor:
        shares = (self.logits - self.lse).exp()
        of_square = 2 * self.square * self.lse * shares / count
        if self.weight is None:
            found = shares - self.each
            found.scatter_add_(1, self.label, torch.full_like(self.picked, self.smoothing - 1))
            return (found / count + of_square) * self.slope
        found = (1 - self.smoothing) * self.of_label * shares + self.each * (shares * weight_sum - self.weight)
        found.scatter_add_(1, self.label, (self.smoothing - 1) * self.of_label)
        return (found / weight_of_count + of_square) * self.slope


def write(logits: Tensor, loss: Tensor, z_loss: Tensor, accuracy: Tensor, predicted: Tensor, *how: Any) -> Rows:
    target, weight, ignored, smoothing, square, softcap, *counts = how
    rows = Rows(logits, target, weight, ignored, smoothing, square, softcap)
    found, squares = rows.losses(*counts)
    best = rows.logits.argmax(-1)
    for into, made in ((loss, found.squeeze(1)), (z_loss, squares.squeeze(1))):
        if into is not None:
            into.copy_(torch.where(rows.is_ignored, into, made.to(into.dtype)))
    if accuracy is not None:
        accuracy.copy_((best == target) & ~rows.is_ignored)
    if predicted is not None:
        predicted.copy_(best.masked_fill(rows.is_ignored, -1))
    return rows


@kernel(f"liger_cross_entropy(Tensor(a!) logits, {WRITTEN}, {HOW}) -> ()")
def cross_entropy(logits: Tensor, loss: Tensor, z_loss: Tensor, accuracy: Tensor, predicted: Tensor, *how: Any) -> None:
    """Overwrites the logits with the gradients, which are 0 for ignored rows."""
    if not logits.is_meta:
        rows = write(logits, loss, z_loss, accuracy, predicted, *how)
        logits.copy_(rows.gradient(*how[6:]).masked_fill(rows.is_ignored.unsqueeze(1), 0))


@kernel(f"liger_cross_entropy_losses(Tensor logits, {WRITTEN}, {HOW}) -> ()")
def cross_entropy_losses(logits: Tensor, loss: Tensor, z_loss: Tensor, accuracy: Tensor, predicted: Tensor, *how: Any) -> None:
    """Computes no gradients."""
    if not logits.is_meta:
        write(logits, loss, z_loss, accuracy, predicted, *how)
