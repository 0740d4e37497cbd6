"""Which storages hold numbers that were never computed.

A storage is known by where PyTorch keeps it. A weak reference keeps that place from another storage as long as it is held,
also when the storage itself has died.
"""

from __future__ import annotations

import torch

from ..groups.pending import storage_key

FEW = 1024


class Storages:
    """A set of storages."""

    def __init__(self) -> None:
        self.weak: dict[int, int] = {}
        self.most = FEW

    def add(self, tensor: torch.Tensor) -> None:
        key = storage_key(tensor)
        if key == 0 or key in self.weak:
            return
        if len(self.weak) >= self.most:
            self.forget_dead()
        self.weak[key] = tensor._storage()._weak_ref()  # type: ignore[attr-defined]

    def __contains__(self, tensor: torch.Tensor) -> bool:
        return storage_key(tensor) in self.weak

    def forget_dead(self) -> None:
        """Let go of the storages that have died: seldom enough that each costs little."""
        storage = torch.UntypedStorage
        for key, weak in list(self.weak.items()):
            if storage._expired(weak):  # type: ignore[attr-defined]
                storage._free_weak_ref(self.weak.pop(key))  # type: ignore[attr-defined]
        self.most = max(FEW, 2 * len(self.weak))
