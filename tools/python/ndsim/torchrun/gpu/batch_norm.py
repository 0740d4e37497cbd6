"""The parts of nn.SyncBatchNorm, which PyTorch has for CUDA alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor


def others(x: Tensor) -> list[int]:
    """All dimensions but that of the channels."""
    return [0, *range(2, x.dim())]


def along(values: Tensor, x: Tensor) -> Tensor:
    """A value per channel, to be combined with x."""
    return values.view([1, -1] + [1] * (x.dim() - 2))


def stats(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    variance, mean = torch.var_mean(wide, others(x), unbiased=False)
    return mean, (variance + eps).rsqrt()


def gather_stats(
    x: Tensor,
    means: Tensor,
    inverses: Tensor,
    running_mean: Tensor | None,
    running_variance: Tensor | None,
    momentum: float,
    eps: float,
    counts: Tensor,
) -> tuple[Tensor, Tensor]:
    """Mean and inverse deviation of all ranks' batches, from those of each and how many they had."""
    share = (counts.view(-1, 1) / counts.sum()).to(means.dtype)
    mean = (means * share).sum(0)
    variance = ((inverses**-2 - eps + (means - mean) ** 2) * share).sum(0)
    if running_mean is not None:
        running_mean.lerp_(mean.to(running_mean.dtype), momentum)
    if running_variance is not None:
        total = counts.sum()
        running_variance.lerp_((variance * (total / (total - 1))).to(running_variance.dtype), momentum)
    return mean, (variance + eps).rsqrt()


def elements(x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, inverse: Tensor, eps: float) -> Tensor:
    y = (x - along(mean, x)) * along(inverse, x)
    if weight is not None:
        y = y * along(weight, x)
    if bias is not None:
        y = y + along(bias, x)
    return y.to(x.dtype)


def backward_reduce(
    gradient: Tensor, x: Tensor, mean: Tensor, inverse: Tensor, weight: Tensor | None, *wanted: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    total = gradient.to(mean.dtype).sum(others(x))
    weighed = (gradient * (x - along(mean, x))).to(mean.dtype).sum(others(x))
    return total, weighed, weighed * inverse, total.clone()


def backward_elements(
    gradient: Tensor,
    x: Tensor,
    mean: Tensor,
    inverse: Tensor,
    weight: Tensor | None,
    total: Tensor,
    weighed: Tensor,
    count: Tensor,
) -> Tensor:
    number = count.sum()
    centred = (x - along(mean, x)) * along(inverse**2 * weighed / number, x)
    scale = inverse if weight is None else inverse * weight
    return ((gradient - along(total / number, x) - centred) * along(scale, x)).to(x.dtype)


OPERATORS: dict[str, Callable[..., Any]] = {
    "aten::batch_norm_stats": stats,
    "aten::batch_norm_gather_stats_with_counts": gather_stats,
    "aten::batch_norm_elemt": elements,
    "aten::batch_norm_backward_reduce": backward_reduce,
    "aten::batch_norm_backward_elemt": backward_elements,
}
