"""Tensors that say they are on the GPU: their device, and their ways there and back.

The numbers of every tensor lie in this process's memory; whether a tensor is on the GPU is known by its storage
(gpu/storages.py). What comes to the host waits for the device first.
"""

from __future__ import annotations

from typing import Any

import torch

Tensor = torch.Tensor
MOST_DEVICES = 64
NAMES = ("to", "cuda", "cpu", "numpy", "tolist", "type", "__repr__", "new_tensor")


class Ways:
    """PyTorch's own methods of tensors, and what a rank makes of them."""

    def __init__(self, rank: Any) -> None:
        self.rank = rank
        self.storages = rank.storages
        self.real = {name: getattr(Tensor, name) for name in NAMES}
        self.real_device = torch._C._TensorBase.device.__get__  # type: ignore[attr-defined]
        self.devices = [torch.device("cuda", index) for index in range(MOST_DEVICES)]

    def device(self, tensor: Tensor) -> torch.device:
        index = self.storages.device_of(tensor)
        return self.devices[index] if index >= 0 else self.real_device(tensor)

    def settle(self, tensor: Tensor) -> None:
        """The host is about to read this tensor."""
        self.rank.pending.touch(tensor)
        if self.storages.everything or self.storages.device_of(tensor) >= 0:
            self.rank.streams.synchronize()

    def to_cuda(self, tensor: Tensor, device: torch.device, how: dict[str, Any]) -> Tensor:
        index = device.index if device.index is not None else torch.cuda.current_device()
        self.storages.begin_devices()
        if self.storages.device_of(tensor) != index:
            how = {**how, "device": self.devices[index]}
        return self.real["to"](tensor, **how) if how else tensor  # type: ignore[no-any-return]

    def to_cpu(self, tensor: Tensor, how: dict[str, Any]) -> Tensor:
        changed = self.real["to"](tensor, **how) if how else tensor
        if self.storages.everything:
            self.settle(tensor)
        if self.storages.device_of(tensor) < 0:
            return changed  # type: ignore[no-any-return]
        self.rank.operators.to_host = True
        try:
            return torch.clone(changed)
        finally:
            self.rank.operators.to_host = False

    def to(self, tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        first = args[0] if args else kwargs.get("other", kwargs.get("device"))
        if first is None or isinstance(first, torch.dtype):
            if kwargs.get("device") is None:
                return self.real["to"](tensor, *args, **kwargs)  # type: ignore[no-any-return]
            first = kwargs["device"]
            how = dict(zip(("dtype", "non_blocking", "copy"), args, strict=False))
        elif isinstance(first, Tensor):
            how = dict(zip(("non_blocking", "copy"), args[1:], strict=False), dtype=first.dtype)
            first = first.device
        else:
            how = dict(zip(("dtype", "non_blocking", "copy"), args[1:], strict=False))
        how.update((name, value) for name, value in kwargs.items() if name not in ("device", "other"))
        how = {name: value for name, value in how.items() if value is not None and value is not False}
        device = torch.device("cuda", first) if isinstance(first, int) else torch.device(first)
        if device.type == "cuda":
            return self.to_cuda(tensor, device, how)
        if device.type == "cpu":
            return self.to_cpu(tensor, how)
        return self.real["to"](tensor, device=device, **how)  # type: ignore[no-any-return]

    def cuda(self, tensor: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
        if isinstance(device, int):
            device = torch.device("cuda", device)
        return self.to_cuda(tensor, torch.device(device if device is not None else "cuda"), {})

    def cpu(self, tensor: Tensor, memory_format: Any = None) -> Tensor:
        return self.to_cpu(tensor, {})

    def numpy(self, tensor: Tensor, **options: Any) -> Any:
        if self.storages.device_of(tensor) >= 0:
            raise TypeError(
                f"can't convert {self.device(tensor)} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                "host memory first."
            )
        self.settle(tensor)
        return self.real["numpy"](tensor, **options)

    def tolist(self, tensor: Tensor) -> Any:
        self.settle(tensor)
        return self.real["tolist"](tensor)

    def shown(self, tensor: Tensor, *, tensor_contents: Any = None) -> str:
        self.settle(tensor)
        guard = torch._C._DisableTorchDispatch()
        try:
            return str(self.real["__repr__"](tensor, tensor_contents=tensor_contents))
        finally:
            del guard

    def type(self, tensor: Tensor, dtype: Any = None, non_blocking: bool = False, **options: Any) -> Any:
        if dtype is not None:
            return self.real["type"](tensor, dtype, non_blocking, **options)
        name = self.real["type"](tensor)
        return name.replace("torch.", "torch.cuda.", 1) if self.storages.device_of(tensor) >= 0 else name

    def new_tensor(
        self, tensor: Tensor, values: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        made = self.real["new_tensor"](tensor, values, dtype=dtype)
        return self.to(made, device if device is not None else self.device(tensor)).requires_grad_(requires_grad)


def install(rank: Any) -> None:
    """Put the simulated devices into torch.Tensor."""
    ways = Ways(rank)

    def method(call: Any) -> Any:
        return lambda self, *args, **kwargs: call(self, *args, **kwargs)

    replaced = {name: getattr(ways, name) for name in NAMES if name != "__repr__"} | {
        "__repr__": ways.shown,
        "get_device": rank.storages.device_of,
    }
    for name, call in replaced.items():
        setattr(Tensor, name, method(call))
    Tensor.device = property(ways.device)  # type: ignore[assignment]
    Tensor.is_cuda = property(lambda self: rank.storages.device_of(self) >= 0)  # type: ignore[assignment]
    Tensor.record_stream = lambda self, stream: None  # type: ignore[method-assign, assignment]
    Tensor.pin_memory = lambda self, device=None: self  # type: ignore[method-assign, assignment]
    Tensor.is_pinned = lambda self, device=None: rank.storages.device_of(self) < 0  # type: ignore[method-assign, assignment]
