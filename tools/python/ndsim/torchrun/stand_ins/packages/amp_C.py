"""Apex's extension with kernels over lists of tensors."""

from __future__ import annotations

from typing import Any

from ndsim.torchrun.stand_ins.kernels import lists, optimizers

Lists = list[list[Any]]


def multi_tensor_adam(chunk_size: int, noop_flag: Any, tensor_lists: Lists, *settings: Any) -> None:
    """Gradients, parameters, first and second moments."""
    optimizers.multi_tensor_adam(noop_flag, *tensor_lists, *settings)


def multi_tensor_scale(chunk_size: int, overflow: Any, tensor_lists: Lists, scale: Any) -> None:
    given, made = tensor_lists
    lists.multi_tensor_scale(overflow, given, made, float(scale))


def multi_tensor_axpby(
    chunk_size: int, overflow: Any, tensor_lists: Lists, a: float, b: float, arguments_to_check: int = -1
) -> None:
    lists.multi_tensor_axpby(overflow, *tensor_lists, a, b)


def multi_tensor_l2norm(
    chunk_size: int, overflow: Any, tensor_lists: Lists, per_tensor: bool | None = False
) -> tuple[Any, Any]:
    (given,) = tensor_lists
    norm, each = lists.multi_tensor_l2norm(given, bool(per_tensor))
    return norm, each


def multi_tensor_sgd(chunk_size: int, noop_flag: Any, tensor_lists: Lists, *settings: Any) -> None:
    """Gradients, parameters and momenta."""
    lists.multi_tensor_sgd(noop_flag, *tensor_lists, *settings)
