"""What a rank's GPU holds at the end of a step of its optimizer: parameters, gradients, states of optimizers, buffers.

Every living tensor of Python is looked at, once or twice a run, by the storage that it is a view of. A storage counts for
the first of the kinds that it serves, as many bytes as the caching allocator has given for it.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .. import simulated

KINDS = ("parameters", "gradients", "optimizer", "buffers")
ROUNDED = 512
"""Bytes: the caching allocator gives multiples of them."""

# The names of gradients that are kept beside a parameter: those of Megatron, Apex and TransformerEngine are main_grad.
GRADIENTS = ("grad", "main_grad")


def plain_tensors(value: Any, torch: Any) -> Iterator[Any]:
    """The tensors with storages in a tensor, which may be made of others, as a DTensor is; in a list, and in a dict."""
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
    """None: it has none on this GPU."""
    try:
        storage = tensor.untyped_storage()
        return storage if storage.device.type == "cuda" and storage.device.index == device else None
    except (RuntimeError, ValueError, NotImplementedError):  # a parameter whose shape is not known yet; a sparse tensor
        return None


def gradients_of(tensor: Any) -> Iterator[Any]:
    for name in GRADIENTS:
        if name != "grad" or tensor.is_leaf:
            yield getattr(tensor, name, None)


class Held:
    """Bytes by kind, of one GPU."""

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
    # By its type: isinstance asks an object itself, which runs code of those that stand for others.
    into_of: dict[int, list[Any] | None] = {}
    for each in gc.get_objects():
        its = type(each)
        if id(its) not in into_of:
            into_of[id(its)] = next((into for kind, into in kinds if kind in its.__mro__), None)
        into = into_of[id(its)]
        if into is not None:
            into.append(each)
    # A parameter that is a DTensor is none by its type.
    for module in modules:
        parameters += (each for each in module.__dict__.get("_parameters", {}).values() if each is not None)
    return parameters, modules, optimizers


def fullest_device(torch: Any) -> int:
    """The one whose tensors held most."""
    devices = range(torch.cuda.device_count())
    return max(devices, key=lambda device: torch.cuda.memory_stats(device).get("allocated_bytes.all.peak", 0))


def by_kind() -> dict[str, int] | None:
    """The bytes of each kind, and of what is none of them, on the fullest GPU of this rank; None: there is nothing yet."""
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
        # What an optimizer steps and no module has are its own copies, in single precision.
        held.add("optimizer", stepped)
        held.add("buffers", (module.__dict__.get("_buffers", {}) for module in modules))
    everything = torch.cuda.memory_stats(device)["allocated_bytes.all.current"]
    return {**held.bytes, "other": everything - sum(held.bytes.values())}
