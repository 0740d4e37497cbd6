"""Numbers for the storages of tensors, in the order in which they are met, so that nothing depends on where memory lies.

A weak reference keeps a storage's address from becoming another's; its memory is free as soon as its tensors are.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

_storage = getattr(torch.Tensor, "untyped_storage", None) or getattr(torch.Tensor, "_storage")  # noqa: B009
_FEW = 4096


class Storages:
    """The number of each storage, by its address."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, StorageWeakRef]] = {}
        self._last = 0
        self._many = _FEW

    def number(self, tensor: Any) -> int:
        storage = _storage(tensor)
        known = self._known.get(storage._cdata)
        if known is None:
            self._last += 1
            known = self._known[storage._cdata] = (self._last, StorageWeakRef(storage))
        return known[0]

    def gone(self) -> list[int]:
        """From time to time: numbers of storages that are no more."""
        if len(self._known) < self._many:
            return []
        dead = {address: number for address, (number, weak) in self._known.items() if weak.expired()}
        for address in dead:
            del self._known[address]
        self._many = max(_FEW, 2 * len(self._known))
        return list(dead.values())
