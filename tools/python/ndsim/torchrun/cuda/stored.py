"""Storages say where they are, too: a checkpoint holds where its tensors were, and brings them back there."""

from __future__ import annotations

from typing import Any

import torch


def install(rank: Any) -> None:
    """Put the simulated devices into torch.UntypedStorage."""
    storages = rank.storages
    untyped = torch.UntypedStorage
    real_resize, real_device = untyped.resize_, torch._C.StorageBase.device.__get__  # type: ignore[attr-defined]
    real_clone = untyped.clone

    def index(storage: Any) -> int:
        if storages.everything:
            return -1
        stored = storages.on.get(storage._cdata)
        return stored.device if stored is not None else -1

    def device(self: Any) -> torch.device:
        where = index(self)
        return torch.device("cuda", where) if where >= 0 else real_device(self)

    def cuda(self: Any, device: Any = None, non_blocking: bool = False, **options: Any) -> Any:
        where = device.index if isinstance(device, torch.device) else device
        storages.begin_devices()
        storages.add_storage(self, where if where is not None else torch.cuda.current_device())
        return self

    def resize(self: Any, size: int) -> Any:
        rank.pending.touch_storage(self._cdata)
        found = real_resize(self, size)
        storages.resized(self)
        return found

    def cpu(self: Any) -> Any:
        rank.pending.touch_storage(self._cdata)
        rank.streams.synchronize()
        return self

    def clone(self: Any) -> Any:
        rank.pending.touch_storage(self._cdata)
        where = index(self)
        if where < 0:
            return real_clone(self)
        copy = untyped(self.nbytes())
        copy.copy_(self, False)
        storages.add_storage(copy, where)
        return copy

    untyped.device = property(device)  # type: ignore[assignment]
    untyped.is_cuda = property(lambda self: index(self) >= 0)  # type: ignore[assignment]
    untyped.cuda = cuda  # type: ignore[assignment, method-assign]
    untyped.resize_ = resize  # type: ignore[assignment, method-assign]
    untyped.cpu = cpu  # type: ignore[assignment, method-assign]
    untyped.clone = clone  # type: ignore[assignment, method-assign]
