"""Optimizers over lists of tensors, as Apex and DeepSpeed have them."""

from __future__ import annotations

from typing import Any

from ..kernel import kernel

ADAM_WITH_L2, ADAMW = 0, 1


@kernel(
    "multi_tensor_adam(Tensor skipped, Tensor[] grads, Tensor(a!)[] params, Tensor(b!)[] exp_avgs, Tensor(c!)[] exp_avg_sqs, "
    "float lr, float beta1, float beta2, float eps, int step, int mode, bool bias_correction, float weight_decay) -> ()"
)
def multi_tensor_adam(
    skipped: Any,
    grads: list[Any],
    params: list[Any],
    exp_avgs: list[Any],
    exp_avg_sqs: list[Any],
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    step: int,
    mode: int,
    bias_correction: bool,
    weight_decay: float,
) -> None:
    """Adam in single precision, whatever the tensors' types are. Nothing happens where `skipped` is not 0: a gradient is infinite."""
    if skipped.item() != 0:
        return
    of_mean = 1 - beta1**step if bias_correction else 1.0
    of_square = 1 - beta2**step if bias_correction else 1.0
    for grad, param, exp_avg, exp_avg_sq in zip(grads, params, exp_avgs, exp_avg_sqs):
        g, p = grad.float(), param.float()
        if mode == ADAM_WITH_L2:
            g = g + weight_decay * p
        mean = beta1 * exp_avg.float() + (1 - beta1) * g
        square = beta2 * exp_avg_sq.float() + (1 - beta2) * g * g
        update = (mean / of_mean) / ((square / of_square).sqrt() + eps)
        if mode == ADAMW:
            update = update + weight_decay * p
        param.copy_(p - lr * update)
        exp_avg.copy_(mean)
        exp_avg_sq.copy_(square)
