"""The rendezvous of torch.distributed: env://, tcp:// and file:// all meet in one file in memory.

It opens no port and writes no file, so concurrent runs do not interfere, and nothing is left behind.
"""

from __future__ import annotations

import collections
import importlib
import os
from typing import Any

from .. import rank as ranks


class Meeting:
    """The file in memory in which the ranks of a run meet. It is created before they are forked."""

    def __init__(self) -> None:
        self._file = os.memfd_create("ndsim-rendezvous")
        self._visits: collections.Counter[str] = collections.Counter()

    def close(self) -> None:
        os.close(self._file)

    def store(self, address: str) -> Any:
        """The store of an address for all ranks that come to it, and a fresh one each time they come again."""
        distributed = importlib.import_module("torch.distributed")
        self._visits[address] += 1
        prefix = f"{address} {self._visits[address]}"
        return distributed.PrefixStore(prefix, distributed.FileStore(f"/proc/self/fd/{self._file}"))


def store_of(address: str, rank: int, world_size: int) -> Any:
    """The store to use instead of the one that torch would create."""
    here = ranks.this_rank()
    if here is None:
        raise RuntimeError("this process is not a rank: give --nproc N, or start the ranks with torch.multiprocessing.spawn")
    if (rank, world_size) != (here.gpu.rank, here.world_size):
        raise RuntimeError(
            f"rank {rank} of {world_size} asks for the process group, and this process is rank {here.gpu.rank} of "
            f"{here.world_size}" + (f"; --nproc {world_size} starts that many" if here.alone is not None else "")
        )
    return here.meeting.store(address)


def prepare(setting: ranks.Setting) -> None:
    """Replace the stores that torch.distributed.rendezvous creates."""
    module = importlib.import_module("torch.distributed.rendezvous")

    def from_port(hostname: str, port: int, rank: int, world_size: int, *others: Any, **more: Any) -> Any:
        return store_of(f"{hostname}:{port}", rank, world_size)

    def from_file(path: str, world_size: int) -> Any:
        here = ranks.this_rank()
        return store_of(path, here.gpu.rank if here else -1, world_size)

    module._create_c10d_store = from_port  # type: ignore[attr-defined]
    module.FileStore = from_file  # type: ignore[attr-defined]
