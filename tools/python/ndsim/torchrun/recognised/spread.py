"""Reads from PyTorch's own wrappers how a model is sharded: DistributedDataParallel, FSDP 1 and FSDP 2."""

from __future__ import annotations

import dataclasses
from typing import Any

from .living import Living, is_a

DDP = "torch.nn.parallel.DistributedDataParallel"
FSDP1 = "torch.distributed.fsdp.FullyShardedDataParallel"
FSDP2 = "torch.distributed.fsdp._fully_shard._fsdp_param_group.FSDPParamGroup"

CLASSES = (DDP, FSDP1, FSDP2, "torch.optim.Optimizer")

HOLDERS = (
    "accelerate.optimizer.AcceleratedOptimizer",
    "deepspeed.runtime.base_optimizer.ZeROOptimizer",
    "torchtitan.components.optimizer.OptimizersContainer",
)
"""Optimizers that wrap the ones that step."""

ZERO_OF_FSDP1 = {"FULL_SHARD": 3, "HYBRID_SHARD": 3, "SHARD_GRAD_OP": 2, "_HYBRID_SHARD_ZERO2": 2, "NO_SHARD": 0}


@dataclasses.dataclass(frozen=True)
class Spread:
    """The sharding of one model; None if unknown."""

    zero: int | None = None
    ranks: int | None = None
    """Number of ranks that parameters are sharded over."""
    reshard_after_forward: bool | None = None
    offload: bool = False
    reduced: int | None = None
    """Number of ranks that gradients are reduced over, that is, the data-parallel size."""
    precision: str | None = None
    """Compute precision set by the wrapper; None: that of the parameters."""

    def shard(self, replicas: int | None) -> int | None:
        """The size of a shard group (HSDP) if it is smaller than `replicas` ranks of dp x cp."""
        smaller = self.zero and self.ranks is not None and replicas is not None and self.ranks < replicas
        return self.ranks if smaller else None


DTYPES = {"torch.float32": "fp32", "torch.bfloat16": "bf16", "torch.float16": "fp16"}
"""PyTorch's names of compute precisions."""


def precision_of(policy: Any) -> str | None:
    """The precision in a mixed-precision policy."""
    return DTYPES.get(str(getattr(policy, "param_dtype", None)))


def of_fsdp1(wrapper: Any) -> Spread:
    ranks, offload = wrapper.process_group.size(), getattr(getattr(wrapper, "cpu_offload", None), "offload_params", False)
    between = getattr(wrapper, "_inter_node_pg", None)
    reduced = ranks if between is None else ranks * between.size()
    zero, precision = ZERO_OF_FSDP1.get(wrapper.sharding_strategy.name), precision_of(wrapper.mixed_precision)
    return Spread(zero, ranks, None, bool(offload), reduced, precision)


def of_fsdp2(groups: list[Any]) -> Spread:
    infos = [group.mesh_info for group in groups]
    ranks, copies = (max(getattr(info, name, 1) for info in infos) for name in ("shard_mesh_size", "replicate_mesh_size"))
    offload = any(is_a(getattr(group, "offload_policy", None), "torch.distributed.fsdp.CPUOffloadPolicy") for group in groups)
    # The root is never resharded; any other group that is resharded shows the setting.
    reshards = any(group.post_forward_mesh_info is not None for group in groups)
    policies = {precision_of(group.mp_policy) for group in groups}
    # A mesh of one rank shards nothing but still has a policy.
    zero = 3 if ranks > 1 else 0
    return Spread(zero, ranks, reshards, offload, ranks * copies, policies.pop() if len(policies) == 1 else None)


def spread_of(living: Living) -> Spread:
    """The sharding that the live wrappers show. Without any, or with one rank, nothing is sharded."""
    if groups := living.all(FSDP2):
        return of_fsdp2(groups)
    if wrappers := living.all(FSDP1):
        return of_fsdp1(wrappers[0])
    if wrappers := living.all(DDP):
        return Spread(0, reduced=wrappers[0].process_group.size())
    return Spread()


def optimizer_of(living: Living) -> str | None:
    """'adam' or 'sgd' if all live PyTorch optimizers are of that kind."""
    kinds = set()
    for each in living.all("torch.optim.Optimizer"):
        if is_a(each, *HOLDERS):
            continue
        adam = is_a(each, "torch.optim.Adam", "torch.optim.AdamW", "deepspeed.ops.adam.fused_adam.FusedAdam",
                    "deepspeed.ops.adam.cpu_adam.DeepSpeedCPUAdam")
        kinds.add("adam" if adam else "sgd" if is_a(each, "torch.optim.SGD") else None)
    return kinds.pop() if len(kinds) == 1 else None
