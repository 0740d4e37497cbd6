"""Operators that PyTorch has for CUDA alone, and 16-bit numbers where its CPU operators have none.

Operators on float16 that the CPU lacks are computed in float32 and rounded: what a tensor core does, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from . import batch_norm

Tensor = torch.Tensor


def unscale(gradients: list[Tensor], found_inf: Tensor, inverse: Tensor) -> None:
    """GradScaler.unscale_: scale gradients in place, and say whether one is not finite."""
    for gradient in gradients:
        if not bool(torch.isfinite(gradient).all()):
            found_inf.fill_(1.0)
        gradient.mul_(inverse.to(gradient.dtype))


def update_scale(
    scale: Tensor, growth_tracker: Tensor, found_inf: Tensor, growth: float, backoff: float, interval: int
) -> Tensor:
    """GradScaler.update: a smaller scale after what was not finite, a larger one after many steps that were."""
    if float(found_inf) > 0:
        scale.mul_(backoff)
        growth_tracker.zero_()
        return scale
    successful = int(growth_tracker) + 1
    if successful == interval:
        larger = scale * growth
        if bool(torch.isfinite(larger)):
            scale.copy_(larger)
        growth_tracker.zero_()
    else:
        growth_tracker.fill_(successful)
    return scale


def adam(
    parameters: list[Tensor],
    gradients: list[Tensor],
    means: list[Tensor],
    squares: list[Tensor],
    largest: list[Tensor],
    steps: list[Tensor],
    *,
    lr: float,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
) -> None:
    """Adam(fused=True): a step of all parameters in one kernel."""
    if found_inf is not None and float(found_inf) > 0:
        return
    for i, parameter in enumerate(parameters):
        gradient = gradients[i] / grad_scale if grad_scale is not None else gradients[i]
        gradient = -gradient if maximize else gradient
        if weight_decay:
            gradient = gradient.add(parameter, alpha=weight_decay)
        step = float(steps[i])
        means[i].mul_(beta1).add_(gradient, alpha=1 - beta1)
        squares[i].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        square = torch.maximum(largest[i], squares[i], out=largest[i]) if amsgrad else squares[i]
        root = (square.sqrt() / (1 - beta2**step) ** 0.5).add_(eps)
        parameter.addcdiv_(means[i], root, value=-lr / (1 - beta1**step))


OPERATORS: dict[str, Callable[..., Any]] = {
    **batch_norm.OPERATORS,
    "aten::_fused_adam_": adam,
    "aten::_amp_foreach_non_finite_check_and_unscale_": unscale,
    "aten::_amp_update_scale_": update_scale,
}


class Half:
    """Runs operators, and those that the CPU does not have for float16 in float32."""

    def __init__(self) -> None:
        self.lacking: set[Any] = set()

    def run(self, func: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if call in self.lacking and has_half(args):
            return self.widened(call, args, kwargs)
        try:
            return call(*args, **kwargs)
        except RuntimeError as error:
            if "can't allocate memory" in str(error):
                raise RuntimeError(f"{error}. The numbers of all ranks lie in the memory of this machine") from None
            if "not implemented for 'Half'" not in str(error):
                raise
        self.lacking.add(call)
        return self.widened(call, args, kwargs)

    def widened(self, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        wide = [widen(each) for each in args]
        out = call(*wide, **{name: widen(each) for name, each in kwargs.items()})
        for before, after in zip(args, wide, strict=True):
            if out is after and isinstance(after, Tensor) and before is not after:
                before.copy_(after)
                return before
        return narrow(out)


def has_half(args: Any) -> bool:
    for each in args:
        if isinstance(each, Tensor):
            if each.dtype is torch.float16:
                return True
        elif isinstance(each, (list, tuple)) and has_half(each):
            return True
    return False


def widen(value: Any) -> Any:
    if isinstance(value, Tensor) and value.dtype is torch.float16:
        return value.float()
    if isinstance(value, (list, tuple)):
        return type(value)(widen(each) for each in value)
    return torch.float32 if value is torch.float16 else value


def narrow(value: Any) -> Any:
    if isinstance(value, Tensor) and value.dtype is torch.float32:
        return value.half()
    if isinstance(value, (list, tuple)):
        return type(value)(narrow(each) for each in value)
    return value
