"""DeepSpeed's Adam on the host, which updates what ZeRO-Offload keeps off the GPUs.

It traverses parameters, gradients and moments at the speed of the host's memory. Source: J. Ren et al., ZeRO-Offload (USENIX ATC
2021), the table of CPU-Adam's latency: 2.57 s for 10 billion parameters on a two-socket host with all cores. The ranks of a node
share its host.
"""

from __future__ import annotations

from typing import Any

from ... import rank as ranks
from ...refusals import refuse
from ..kernels import optimizers

PICOSECONDS_OF_PARAMETER = 257

_adamw: dict[int, bool] = {}


def create_adam(
    optimizer_id: int,
    alpha: float = 1e-3,
    betta1: float = 0.9,
    betta2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 0.0,
    adamw_mode: bool = True,
    should_log: bool = False,
) -> int:
    _adamw[optimizer_id] = adamw_mode
    return 0


def destroy_adam(optimizer_id: int) -> int:
    _adamw.pop(optimizer_id, None)
    return 0


def adam_update(
    optimizer_id: int,
    step: int,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    weight_decay: float,
    bias_correction: bool,
    params: Any,
    grads: Any,
    exp_avg: Any,
    exp_avg_sq: Any,
) -> int:
    mode = optimizers.ADAMW if _adamw[optimizer_id] else optimizers.ADAM_WITH_L2
    settings = optimizers.Adam(lr, beta1, beta2, epsilon, step, mode, bias_correction, weight_decay)
    optimizers.step_of_adam(settings, grads, params, exp_avg, exp_avg_sq)
    rank = ranks.this_rank()
    if rank is not None:
        rank.pass_host(PICOSECONDS_OF_PARAMETER * params.numel() * rank.node_size)
    return 0


def adam_rollback(*args: Any) -> int:
    refuse("cpu_adam.adam_rollback", "steps of an optimizer are not taken back")
    return -1
