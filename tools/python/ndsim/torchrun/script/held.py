"""What holds the memory of GPUs at the end of a step: parameters, gradients, the optimizer's states."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterable, Iterator
from typing import Any

ROUNDING = 512
"""Bytes, of which the caching allocator gives out multiples."""


def parameters_of(optimizer: Any) -> list[Any]:
    return [each for group in optimizer.param_groups for each in group["params"]]


def living_parameters(torch: Any) -> list[Any]:
    """Those of all modules, whether an optimizer has them or not."""
    return [each for each in gc.get_objects() if issubclass(type(each), torch.Tensor) and isinstance(each, torch.nn.Parameter)]


def tensors_in(value: Any, torch: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from tensors_in(each, torch)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each, torch)


def gradients_of(parameters: Iterable[Any]) -> Iterator[Any]:
    """PyTorch's, and those that Megatron, Apex and TransformerEngine add up beside them."""
    for each in parameters:
        for gradient in (each.grad, getattr(each, "main_grad", None)):
            if gradient is not None:
                yield gradient


def storages_of(tensors: Iterable[Any]) -> dict[int, int]:
    """The bytes of each storage on a GPU; of a tensor that ranks share, of the part that lies here."""
    found = {}
    for each in tensors:
        local = getattr(each, "_local_tensor", each)
        if local.device.type == "cuda" and local.layout == importlib.import_module("torch").strided:
            storage = local.untyped_storage()
            found[storage._cdata] = -(-storage.nbytes() // ROUNDING) * ROUNDING
    return found


def by_kind(optimizers: list[Any]) -> dict[str, int]:
    """The bytes of each kind. What is of two kinds is of the first."""
    torch: Any = importlib.import_module("torch")
    stepped = [each for optimizer in optimizers for each in parameters_of(optimizer)]
    parameters = [*living_parameters(torch), *(each for each in stepped if isinstance(each, torch.nn.Parameter))]
    # What an optimizer steps and no module has are its own copies, in single precision.
    copies = [each for each in stepped if not isinstance(each, torch.nn.Parameter)]
    kinds = {
        "parameters": storages_of(parameters),
        "gradients": storages_of(gradients_of([*parameters, *copies])),
        "optimizer": storages_of([*copies, *(each for one in optimizers for each in tensors_in(one.state, torch))]),
    }
    counted: set[int] = set()
    bytes_of = {}
    for kind, storages in kinds.items():
        bytes_of[kind] = sum(size for storage, size in storages.items() if storage not in counted)
        counted |= storages.keys()
    return bytes_of
