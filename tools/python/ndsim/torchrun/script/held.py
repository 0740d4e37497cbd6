"""Memory of a rank's GPU at the end of an optimizer step: parameters, gradients, optimizer states, buffers.

Once or twice a run, it visits every live Python tensor by its storage. A storage counts for the first kind that applies, with the
bytes that the caching allocator gave it.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .. import simulated

KINDS = ("parameters", "gradients", "optimizer", "buffers")
ROUNDED = 512
"""Bytes: the caching allocator rounds up to multiples of this."""

# Attributes that hold a parameter's gradient: Megatron, Apex and TransformerEngine use main_grad.
GRADIENTS = ("grad", "main_grad")


def plain_tensors(value: Any, torch: Any) -> Iterator[Any]:
    """The tensors with storages inside a value: a tensor, one made of others, such as a DTensor, a list or a dict."""
    if issubclass(type(value), torch.Tensor):
        if hasattr(type(value), "__tensor_flatten__"):
            for name in value.__tensor_flatten__()[0]:
                yield from plain_tensors(getattr(value, name), torch)
        else:
            yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from plain_tensors(each, torch)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from plain_tensors(each, torch)


def storage_of(tensor: Any, device: int) -> Any:
    """None if it has none on this GPU."""
    try:
        storage = tensor.untyped_storage()
        return storage if storage.device.type == "cuda" and storage.device.index == device else None
    except (RuntimeError, ValueError, NotImplementedError):  # a lazy parameter without a shape; a sparse tensor
        return None


def gradients_of(tensor: Any) -> Iterator[Any]:
    for name in GRADIENTS:
        if name != "grad" or tensor.is_leaf:
            yield getattr(tensor, name, None)


class Held:
    """Bytes by kind, on one GPU."""

    def __init__(self, device: int, torch: Any) -> None:
        self.device = device
        self.torch = torch
        self.bytes = dict.fromkeys(KINDS, 0)
        self.counted: set[int] = set()

    def add(self, kind: str, values: Iterable[Any]) -> None:
        for value in values:
            for tensor in plain_tensors(value, self.torch):
                storage = storage_of(tensor, self.device)
                if storage is not None and storage._cdata not in self.counted:
                    self.counted.add(storage._cdata)
                    self.bytes[kind] += -(-storage.nbytes() // ROUNDED) * ROUNDED


def living(torch: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """The parameters, modules and optimizers of this process."""
    parameters: list[Any] = []
    modules: list[Any] = []
    optimizers: list[Any] = []
    kinds = ((torch.nn.Parameter, parameters), (torch.nn.Module, modules), (torch.optim.Optimizer, optimizers))
    # Compares types: isinstance asks the object, which would run code of proxies.
    into_of: dict[int, list[Any] | None] = {}
    for each in gc.get_objects():
        its = type(each)
        if id(its) not in into_of:
            into_of[id(its)] = next((into for kind, into in kinds if kind in its.__mro__), None)
        into = into_of[id(its)]
        if into is not None:
            into.append(each)
    # A parameter that is a DTensor is not a Parameter by its type.
    for module in modules:
        parameters += (each for each in module.__dict__.get("_parameters", {}).values() if each is not None)
    return parameters, modules, optimizers


def fullest_device(torch: Any) -> int:
    """The device whose tensors held most."""
    devices = range(torch.cuda.device_count())
    return max(devices, key=lambda device: torch.cuda.memory_stats(device).get("allocated_bytes.all.peak", 0))


def by_kind() -> dict[str, int] | None:
    """Bytes of each kind, and of everything else, on the fullest GPU of this rank; None if there is nothing yet."""
    torch: Any = importlib.import_module("torch")
    if not simulated.has_used_gpus():
        return None
    device = fullest_device(torch)
    held = Held(device, torch)
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        parameters, modules, optimizers = living(torch)
        stepped = [each for one in optimizers for group in one.param_groups for each in group["params"]]
        parameters += (each for each in stepped if isinstance(each, torch.nn.Parameter))
        held.add("parameters", parameters)
        held.add("gradients", (each for of in [*parameters, *stepped] for each in gradients_of(of)))
        held.add("optimizer", (one.state for one in optimizers))
        # Tensors that an optimizer steps but no module has are its own single-precision copies.
        held.add("optimizer", stepped)
        held.add("buffers", (module.__dict__.get("_buffers", {}) for module in modules))
    everything = torch.cuda.memory_stats(device)["allocated_bytes.all.current"]
    return {**held.bytes, "other": everything - sum(held.bytes.values())}
