"""Which storages wait for which collective.

The data of a collective are there at the latest when the device's main stream has joined it. Whatever touches a storage
before that joins it: an operator, a copy to the host, another collective.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from . import data


def storage_key(tensor: torch.Tensor) -> int:
    """What is the same for all tensors on one memory; 0: a tensor without a memory of its own, such as a sparse one."""
    try:
        return int(tensor._storage()._cdata)  # type: ignore[attr-defined]
    except (NotImplementedError, RuntimeError):
        return 0


class Entry:
    """An operation that is under way beside the main stream.

    finish is called with what take() gives, when the main stream has joined it. later is what the script has asked for
    meanwhile on a side stream, to be done after that.
    """

    __slots__ = ("finish", "handle", "joined", "keys", "later", "takes", "writes")

    def __init__(
        self, handle: Any, takes: bool, finish: Callable[[Any], None] | None, writes: Sequence[torch.Tensor]
    ) -> None:
        self.handle = handle
        self.takes = takes
        self.finish = finish
        self.writes = writes
        self.keys: list[int] = []
        self.later: list[Callable[[], Any]] = []
        self.joined = False


class Pending:
    """The operations of one rank that are under way."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.of_storage: dict[int, list[Entry]] = {}
        """Empty in the common case: operators ask this first."""
        self.entries: dict[Entry, None] = {}

    def add(self, entry: Entry) -> Entry:
        self.entries[entry] = None
        self.hold(entry, map(storage_key, entry.writes))
        return entry

    def hold(self, entry: Entry, keys: Iterable[int]) -> None:
        """Whoever touches one of these storages waits for this entry."""
        for key in keys:
            if key and key not in entry.keys:
                entry.keys.append(key)
                self.of_storage.setdefault(key, []).append(entry)

    def join(self, entry: Entry) -> None:
        """The main stream waits for this operation, whose data are there then."""
        if entry.joined:
            return
        entry.joined = True
        del self.entries[entry]
        for key in entry.keys:
            waiting = self.of_storage[key]
            # Those that came before on the same memory wrote to it before.
            while waiting[0] is not entry:
                self.join(waiting[0])
            waiting.pop(0)
            if not waiting:
                del self.of_storage[key]
        if entry.handle is not None:
            self.device.join(entry.handle)
            views = self.device.take(entry.handle) if entry.takes else []
            if entry.finish is not None:
                with data.unseen():
                    entry.finish(views)
        entry.finish = None
        entry.writes = ()
        for action in entry.later:
            action()
        entry.later = []

    def touch(self, tensor: torch.Tensor) -> None:
        """Join what writes to the memory of this tensor."""
        if self.of_storage:
            self.touch_storage(storage_key(tensor))

    def touch_storage(self, key: int) -> None:
        while key in self.of_storage:
            self.join(self.of_storage[key][0])

    def join_all(self) -> None:
        while self.entries:
            self.join(next(iter(self.entries)))
