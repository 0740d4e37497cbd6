"""Cross entropy of rows of logits, or of a part of their columns: one kernel for each direction."""

from __future__ import annotations

import importlib
from typing import Any

from ..kernel import kernel

torch: Any = importlib.import_module("torch")

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
    """Losses, logarithms of the rows' sums, and what of the losses is their squares.

    Where these are not all columns, losses are without the logarithms: the caller has those of all ranks.
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
