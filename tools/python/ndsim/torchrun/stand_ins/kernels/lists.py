"""Arithmetic over lists of tensors in one kernel: Apex's amp_C, also part of TransformerEngine.

`overflow` is set to 1 if a number is infinite; its previous value is irrelevant unless stated.
"""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any


def watch(overflow: Tensor, tensors: list[Tensor]) -> None:
    if overflow.is_meta:
        return
    if not all(bool(tensor.isfinite().all()) for tensor in tensors):
        overflow.fill_(1)


@kernel("multi_tensor_scale(Tensor(a!) overflow, Tensor[] given, Tensor(b!)[] made, float scale) -> ()")
def multi_tensor_scale(overflow: Tensor, given: list[Tensor], made: list[Tensor], scale: float) -> None:
    watch(overflow, given)
    for source, target in zip(given, made):
        target.copy_(source.float() * scale)


@kernel("multi_tensor_scale_by(Tensor(a!) overflow, Tensor[] given, Tensor(b!)[] made, Tensor scale) -> ()")
def multi_tensor_scale_by(overflow: Tensor, given: list[Tensor], made: list[Tensor], scale: Tensor) -> None:
    watch(overflow, given)
    for source, target in zip(given, made):
        target.copy_(source.float() * scale)


@kernel("multi_tensor_axpby(Tensor(a!) overflow, Tensor[] x, Tensor[] y, Tensor(b!)[] made, float a, float b) -> ()")
def multi_tensor_axpby(
    overflow: Tensor, x: list[Tensor], y: list[Tensor], made: list[Tensor], a: float, b: float
) -> None:
    watch(overflow, x)
    for first, second, target in zip(x, y, made):
        target.copy_(a * first.float() + b * second.float())


@kernel("multi_tensor_l2norm(Tensor[] given, bool each) -> (Tensor, Tensor)")
def multi_tensor_l2norm(given: list[Tensor], each: bool) -> tuple[Tensor, Tensor]:
    """The norm of all tensors together and, if requested, of each."""
    squares = torch.stack([tensor.float().square().sum() for tensor in given])
    return squares.sum().sqrt().view(1), squares.sqrt() if each else squares.new_empty(0)


@kernel(
    "multi_tensor_sgd(Tensor skipped, Tensor[] grads, Tensor(a!)[] params, Tensor(b!)[] momenta, float weight_decay, "
    "float momentum, float dampening, float lr, bool nesterov, bool first, bool decay_after, float scale) -> ()"
)
def multi_tensor_sgd(
    skipped: Tensor,
    grads: list[Tensor],
    params: list[Tensor],
    momenta: list[Tensor],
    weight_decay: float,
    momentum: float,
    dampening: float,
    lr: float,
    nesterov: bool,
    first: bool,
    decay_after: bool,
    scale: float,
) -> None:
    if params[0].is_meta or skipped.item() != 0:
        return
    for grad, param, kept in zip(grads, params, momenta):
        step = grad.float() * scale
        if not decay_after:
            step = step + weight_decay * param.float()
        if momentum != 0:
            kept.copy_(step if first else kept * momentum + (1 - dampening) * step)
            step = step + momentum * kept if nesterov else kept
        if decay_after:
            step = step + weight_decay * param.float()
        param.copy_(param.float() - lr * step)
