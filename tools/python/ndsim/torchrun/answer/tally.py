"""What a rank tells when its script has ended: the peaks of its memory, its host's clock, and what its operators cost."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .. import rank as ranks


@contextlib.contextmanager
def install(rank: ranks.Rank) -> Iterator[None]:
    yield
    if rank.device is not None:
        # A rank ends when its GPU and its host have ended.
        rank.device.synchronize()
    if rank.allocator is not None:
        rank.tell("memory", [rank.allocator.peak_allocated, rank.allocator.peak_reserved])
    if rank.options.explain_cost and rank.prices is not None and rank.gpu.rank == 0:
        rank.tell("operators", rank.prices.table())
