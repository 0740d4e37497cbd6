"""Where the memory of tensors is: on the simulated GPU or on the host, and what of it the GPU's allocator holds.

Every tensor's numbers lie in this process's memory. A storage is on the GPU if a script has moved it there, or an operator
has made it from one that is. As long as a script names no CUDA device at all, everything is taken to be on the GPU.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from ..groups.pending import storage_key

LARGE = 1 << 20
"""An allocation of so many bytes is worth asking for every storage."""

expired = torch.UntypedStorage._expired  # type: ignore[attr-defined]


class Watch(weakref.ref):  # type: ignore[type-arg]
    """Tells when a tensor is gone."""

    __slots__ = ("key",)
    key: int


class Stored:
    """A storage on the GPU."""

    __slots__ = ("block", "bytes", "device", "watch", "weak")

    def __init__(self, device: int, weak: int, watch: Watch | None) -> None:
        self.device = device
        self.weak = weak
        self.watch = watch
        self.bytes = 0
        self.block: Any = None


class Storages:
    """The storages of one rank that are on the GPU.

    PyTorch does not say when a storage dies, only whether it has died. It is asked when the tensor that came with the
    storage is gone, then whenever a later one dies, and before the allocated memory would reach a new peak.
    """

    def __init__(self, allocator: Any) -> None:
        self.allocator = allocator
        self.on: dict[int, Stored] = {}
        self.everything = True
        """The script has not named a CUDA device."""
        self.gone: list[int] = []
        self.lingering: list[int] = []
        self.patience = 0

    def begin_devices(self) -> None:
        """The script names CUDA devices: from now on only what it moves there is on the GPU."""
        if not self.everything:
            return
        self.everything = False
        for key in list(self.on):
            self.remove(key)
        self.gone.clear()
        self.lingering.clear()
        if self.allocator is not None:
            self.allocator.reset_peaks()

    def device_of(self, tensor: torch.Tensor) -> int:
        """The index of the tensor's CUDA device; -1: it is on the host, or the script names no devices."""
        if self.everything:
            return -1
        stored = self.on.get(storage_key(tensor))
        return stored.device if stored is not None else -1

    def add(self, tensor: torch.Tensor, device: int) -> None:
        """The memory of a new tensor is on the GPU."""
        storage = tensor._storage()  # type: ignore[attr-defined]
        key = storage._cdata
        if key in self.on:
            return
        if self.gone or self.lingering:
            self.bury()
        watch = Watch(tensor, self.left)
        watch.key = key
        stored = self.on[key] = Stored(device, storage._weak_ref(), watch)
        self.hold(stored, storage.nbytes())

    def add_storage(self, storage: Any, device: int) -> None:
        """A storage without a tensor is on the GPU, such as one of a checkpoint."""
        key = storage._cdata
        if key not in self.on:
            stored = self.on[key] = Stored(device, storage._weak_ref(), None)
            self.lingering.append(key)
            self.hold(stored, storage.nbytes())

    def hold(self, stored: Stored, size: int) -> None:
        stored.bytes = size
        allocator = self.allocator
        if not size or allocator is None:
            return
        if self.lingering and allocator.allocated + size > allocator.peak_allocated:
            self.patience -= 1
            if self.patience < 0 or size >= LARGE:
                self.sweep()
        stored.block = allocator.allocate(size)

    def left(self, watch: Watch) -> None:
        """The tensor of a storage is gone: the storage goes with it, or belongs to another one."""
        self.gone.append(watch.key)

    def bury(self) -> None:
        """Free the storages whose tensors are gone, and the last ones of those that outlived theirs."""
        on, lingering = self.on, self.lingering
        for key in self.gone:
            stored = on.get(key)
            if stored is None:
                continue
            stored.watch = None
            if expired(stored.weak):
                self.remove(key)
            else:
                lingering.append(key)
        self.gone.clear()
        while lingering:
            stored = on.get(lingering[-1])
            if stored is not None and not expired(stored.weak):
                break
            key = lingering.pop()
            if stored is not None:
                self.remove(key)

    def sweep(self) -> None:
        """Free every storage that has died."""
        self.bury()
        kept = []
        for key in self.lingering:
            stored = self.on.get(key)
            if stored is None:
                continue
            if expired(stored.weak):
                self.remove(key)
            else:
                kept.append(key)
        self.lingering = kept
        # A long list is gone through more seldom: a step costs the same for each operator.
        self.patience = len(kept) // 8

    def remove(self, key: int) -> None:
        stored = self.on.pop(key)
        if stored.block is not None:
            self.allocator.free(stored.block)
        torch.UntypedStorage._free_weak_ref(stored.weak)  # type: ignore[attr-defined]

    def take_away(self, key: int) -> None:
        """A storage is on the host after all."""
        if key in self.on:
            self.remove(key)

    def resized(self, storage: Any) -> None:
        """A storage has another size now."""
        stored = self.on.get(storage._cdata)
        if stored is None or stored.bytes == storage.nbytes():
            return
        if stored.block is not None:
            self.allocator.free(stored.block)
            stored.block = None
        self.hold(stored, storage.nbytes())
