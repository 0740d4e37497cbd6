"""The loss of a language model, on one rank or with the vocabulary split over several."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from ndsim.torchrun.stand_ins.kernels import cross_entropies as kernels
from ndsim.torchrun.stand_ins.refused import not_simulated


class CrossEntropyFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Any, target: Any, mean: bool, group: Any, ignored: int) -> Any:
        size = dist.get_world_size(group) if group is not None else 1
        rows, targets = logits.reshape(-1, logits.shape[-1]), target.reshape(-1)
        first = dist.get_rank(group) * rows.shape[1] if size > 1 else 0
        own = kernels.vocabulary_statistics(rows, targets, first)
        every = own.unsqueeze(0)
        if size > 1:
            every = own.new_empty(size, *own.shape)
            dist.all_gather_into_tensor(every, own, group=group)
        loss, grad = kernels.vocabulary_loss(rows, targets, every, first, ignored)
        ctx.save_for_backward(grad)
        ctx.shape, ctx.mean = logits.shape, mean
        return loss.mean() if mean else loss.view(target.shape)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (grad,) = ctx.saved_tensors
        rows = grads[0].reshape(-1, 1)
        made = grad * (rows / grad.shape[0] if ctx.mean else rows).to(grad.dtype)
        return made.view(ctx.shape), None, None, None, None


def parallel_cross_entropy(
    _input: Any,
    target: Any,
    label_smoothing: float = 0.0,
    reduce_loss: bool = False,
    dist_process_group: Any = None,
    ignore_idx: int = -100,
    is_cg_capturable: bool = False,
) -> Any:
    """One loss per token, in single precision."""
    if label_smoothing:
        not_simulated("parallel_cross_entropy with label_smoothing", "leave it out")
    return CrossEntropyFunction.apply(_input, target, reduce_loss, dist_process_group, ignore_idx)
