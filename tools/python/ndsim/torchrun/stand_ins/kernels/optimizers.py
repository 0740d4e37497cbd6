"""Optimizers over lists of tensors, as in Apex and DeepSpeed. They compute in single precision, whatever the tensors' types.

A nonzero `skipped` disables the step: a gradient is infinite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..kernel import kernel

ADAM_WITH_L2, ADAMW = 0, 1


class Adam(NamedTuple):
    """The settings of Adam."""

    lr: float
    beta1: float
    beta2: float
    eps: float
    step: int
    """The number of this step, from 1."""
    mode: int
    """How weights decay: through the gradient (ADAM_WITH_L2), or decoupled (ADAMW)."""
    bias_correction: bool
    weight_decay: float


def step_of_adam(of: Adam, grad: Any, param: Any, exp_avg: Any, exp_avg_sq: Any) -> None:
    """Update the parameter and its moments."""
    of_mean = 1 - of.beta1**of.step if of.bias_correction else 1.0
    of_square = 1 - of.beta2**of.step if of.bias_correction else 1.0
    g, p = grad.float(), param.float()
    if of.mode == ADAM_WITH_L2:
        g = g + of.weight_decay * p
    mean = of.beta1 * exp_avg.float() + (1 - of.beta1) * g
    square = of.beta2 * exp_avg_sq.float() + (1 - of.beta2) * g * g
    update = (mean / of_mean) / ((square / of_square).sqrt() + of.eps)
    if of.mode == ADAMW:
        update = update + of.weight_decay * p
    param.copy_(p - of.lr * update)
    exp_avg.copy_(mean)
    exp_avg_sq.copy_(square)


@kernel(
    "multi_tensor_adam(Tensor skipped, Tensor[] grads, Tensor(a!)[] params, Tensor(b!)[] exp_avgs, Tensor(c!)[] exp_avg_sqs, "
    "float lr, float beta1, float beta2, float eps, int step, int mode, bool bias_correction, float weight_decay) -> ()"
)
def multi_tensor_adam(
    skipped: Any, grads: list[Any], params: list[Any], exp_avgs: list[Any], exp_avg_sqs: list[Any], *settings: Any
) -> None:
    if skipped.item() != 0:
        return
    of = Adam(*settings)
    for grad, param, exp_avg, exp_avg_sq in zip(grads, params, exp_avgs, exp_avg_sqs):
        step_of_adam(of, grad, param, exp_avg, exp_avg_sq)


@kernel(
    "multi_tensor_lion(Tensor skipped, Tensor[] grads, Tensor(a!)[] params, Tensor(b!)[] exp_avgs, "
    "float lr, float beta1, float beta2, float weight_decay) -> ()"
)
def multi_tensor_lion(
    skipped: Any, grads: list[Any], params: list[Any], exp_avgs: list[Any], lr: float, beta1: float, beta2: float, weight_decay: float
) -> None:
    if skipped.item() != 0:
        return
    for grad, param, exp_avg in zip(grads, params, exp_avgs):
        g, p, mean = grad.float(), param.float(), exp_avg.float()
        direction = (beta1 * mean + (1 - beta1) * g).sign()
        param.copy_(p * (1 - lr * weight_decay) - lr * direction)
        exp_avg.copy_(beta2 * mean + (1 - beta2) * g)
