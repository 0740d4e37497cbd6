"""Fused optimizers and arithmetic over lists of tensors."""

from __future__ import annotations

from typing import Any

from amp_C import multi_tensor_adam, multi_tensor_l2norm, multi_tensor_scale, multi_tensor_sgd
from apex.multi_tensor_apply import MultiTensorApply, multi_tensor_applier
from ndsim.torchrun.stand_ins.kernels import lists
from ndsim.torchrun.stand_ins.optimizers import FusedAdam, FusedSGD


def multi_tensor_scale_tensor(chunk_size: int, overflow: Any, tensor_lists: list[list[Any]], scale: Any) -> None:
    """multi_tensor_scale with a scale on the GPU."""
    given, made = tensor_lists
    lists.multi_tensor_scale_by(overflow, given, made, scale)


__all__ = [
    "FusedAdam",
    "FusedSGD",
    "MultiTensorApply",
    "multi_tensor_adam",
    "multi_tensor_applier",
    "multi_tensor_l2norm",
    "multi_tensor_scale",
    "multi_tensor_scale_tensor",
    "multi_tensor_sgd",
]
