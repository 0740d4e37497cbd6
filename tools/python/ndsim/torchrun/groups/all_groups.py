"""The process groups of a rank: torch.distributed makes them here, whatever backend the script names."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from torch.distributed import distributed_c10d as c10d

from .process_group import ProcessGroup

# The last one is for marks (cuda/streams.py).
MOST_STREAMS = 61


class Groups:
    """All groups of the run, in the order in which they are made: the same on all ranks, members or not."""

    def __init__(self, rank: Any) -> None:
        self.rank = rank
        self.made: list[tuple[frozenset[int], int]] = []

    def add(self, members: Sequence[int], backend: str) -> ProcessGroup | None:
        """A group of these ranks; None: this rank is no member."""
        number = len(self.made)
        stream = self.free_stream(frozenset(members))
        self.made.append((frozenset(members), stream))
        if self.rank.gpu.rank not in members:
            return None
        return ProcessGroup(self.rank, number, stream, members, backend)

    def free_stream(self, members: frozenset[int]) -> int:
        """The first stream that no group with one of these members has; else that of the fewest groups."""
        uses = [0] * (MOST_STREAMS + 1)
        for others, stream in self.made:
            if not members.isdisjoint(others):
                uses[stream] += 1
        return min(range(1, MOST_STREAMS + 1), key=uses.__getitem__)


def backend_of(name: Any) -> str:
    """The backend that the script believes in: NCCL where it names none."""
    text = str(name or "nccl").lower()
    return text if text in ("nccl", "gloo", "mpi", "ucc") else "nccl"


def make_groups_here(rank: Any) -> None:
    """Let torch.distributed make its process groups here."""

    def new_process_group(
        size: int,
        group_rank: int,
        members: Sequence[int],
        backend: Any,
        store: Any,
        pg_options: Any = None,
        group_name: Any = None,
        timeout: Any = None,
    ) -> Any:
        if not group_name:
            group_name = str(c10d._group_count)
            c10d._group_count += 1
        name = backend_of(backend)
        if name == "nccl":
            rank.storages.begin_devices()
        group = rank.groups.add(list(members) or list(range(rank.world_size)), name)
        if group is None:
            return c10d.GroupMember.NON_GROUP_MEMBER
        c10d._pg_map[group] = (name, store)
        c10d._pg_names[group] = group_name
        return group

    c10d._new_process_group_helper = new_process_group
    # Ranks that begin together need not wait for each other's processes.
    c10d._store_based_barrier = lambda *arguments, **options: None
    c10d._check_for_nccl_backend = lambda group: c10d.get_backend(group) == "nccl"
    c10d._NCCL_AVAILABLE = True
    c10d.logger.setLevel(logging.WARNING)
