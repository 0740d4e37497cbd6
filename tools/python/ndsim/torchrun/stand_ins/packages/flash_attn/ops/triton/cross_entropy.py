"""Cross entropy in one kernel for each direction, over all columns or over a rank's shard."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.stand_ins.kernels import cross_entropies as kernels


class CrossEntropyLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        logits: torch.Tensor,
        labels: torch.Tensor,
        precomputed_lse: torch.Tensor | None,
        smoothing: float,
        logit_scale: float,
        lse_square_scale: float,
        ignore_index: int,
        inplace_backward: bool,
        process_group: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        ranks = 1 if process_group is None else torch.distributed.get_world_size(process_group)
        rank = 0 if process_group is None else torch.distributed.get_rank(process_group)
        columns = logits.shape[1]
        ctx.how = smoothing, logit_scale, lse_square_scale, ignore_index, columns * ranks, columns * rank
        logits = logits if logits.stride(-1) == 1 else logits.contiguous()
        losses, lse, squares = kernels.cross_entropy_forward(
            logits, labels, precomputed_lse if ranks == 1 else None, *ctx.how
        )
        if ranks > 1:
            losses, lse, squares = of_all_ranks(losses, lse, labels, lse_square_scale, ignore_index, process_group, ranks)
        ctx.save_for_backward(logits, lse, labels)
        ctx.mark_non_differentiable(squares)
        ctx.inplace_backward = inplace_backward
        return losses, squares

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor, _: Any) -> tuple[torch.Tensor | None, ...]:
        logits, lse, labels = ctx.saved_tensors
        if ctx.inplace_backward:
            kernels.cross_entropy_backward_in_place(grad, logits, lse, labels, *ctx.how)
            return logits, *8 * (None,)
        return kernels.cross_entropy_backward(grad, logits, lse, labels, *ctx.how), *8 * (None,)


def of_all_ranks(
    losses: torch.Tensor, lse: torch.Tensor, labels: torch.Tensor, squared: float, ignored: int, group: Any, ranks: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    gathered = torch.empty(ranks, lse.shape[0], dtype=lse.dtype, device=lse.device)
    torch.distributed.all_gather_into_tensor(gathered, lse, group=group)
    summed = torch.distributed.all_reduce(losses, group=group, async_op=True)
    lse = torch.logsumexp(gathered, dim=0)
    summed.wait()
    losses = losses + lse
    squares = torch.zeros_like(losses)
    if squared != 0:
        squares = (squared * lse.square()).masked_fill_(labels == ignored, 0.0)
        losses = losses + squares
    return losses.masked_fill_(labels == ignored, 0.0), lse, squares


def cross_entropy_loss(
    logits: torch.Tensor,
    labels: torch.Tensor,
    precomputed_lse: torch.Tensor | None = None,
    label_smoothing: float = 0.0,
    logit_scale: float = 1.0,
    lse_square_scale: float = 0.0,
    ignore_index: int = -100,
    inplace_backward: bool = False,
    process_group: Any = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of each row, and the z-loss part of it."""
    return CrossEntropyLoss.apply(
        logits,
        labels,
        precomputed_lse,
        label_smoothing,
        logit_scale,
        lse_square_scale,
        ignore_index,
        inplace_backward,
        process_group,
    )
