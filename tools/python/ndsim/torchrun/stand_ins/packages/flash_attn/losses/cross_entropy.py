"""The loss as a module."""

from __future__ import annotations

from typing import Any

import torch

from ..ops.triton.cross_entropy import cross_entropy_loss


class CrossEntropyLoss(torch.nn.Module):
    def __init__(
        self,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
        logit_scale: float = 1.0,
        lse_square_scale: float = 0.0,
        inplace_backward: bool = False,
        process_group: Any = None,
        return_z_loss: bool = False,
    ) -> None:
        super().__init__()
        if reduction not in ("mean", "none", "sum"):
            raise NotImplementedError("Only support reduction = 'mean' or 'none' or 'sum'")
        self.ignore_index, self.reduction, self.label_smoothing = ignore_index, reduction, label_smoothing
        self.logit_scale, self.lse_square_scale = logit_scale, lse_square_scale
        self.inplace_backward, self.process_group, self.return_z_loss = inplace_backward, process_group, return_z_loss

    def forward(
        self, input: torch.Tensor, target: torch.Tensor, precomputed_lse: torch.Tensor | None = None
    ) -> Any:
        assert input.is_cuda and target.is_cuda, "Only support CUDA tensors"
        losses, squares = cross_entropy_loss(
            input,
            target,
            precomputed_lse,
            self.label_smoothing,
            self.logit_scale,
            self.lse_square_scale,
            self.ignore_index,
            self.inplace_backward,
            self.process_group,
        )
        loss = self.reduced(losses, target)
        return (loss, self.reduced(squares, target)) if self.return_z_loss else loss

    def reduced(self, losses: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        if self.reduction == "mean":
            return losses.sum() / (target != self.ignore_index).sum()
        return losses.sum() if self.reduction == "sum" else losses
