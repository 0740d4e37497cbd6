"""PyTorch's caching allocator for CUDA, as a model: what tensors hold of a GPU's memory, and what is reserved for them.

Its rules are those of c10/cuda/CUDACachingAllocator.cpp with default settings. Sizes are rounded up to 512 B. A request of
up to 1 MiB comes out of segments of 2 MiB; one below 10 MiB out of segments of 20 MiB; a larger one has a segment of its
own, rounded up to 2 MiB. The smallest free block that is large enough is taken, of equal ones that of the lowest address,
and split where 512 B (small) or more than 1 MiB (large) would remain. A freed block joins its free neighbours and stays
reserved. When the GPU is full, segments that are free as a whole go back to it, and then the request fails. Each stream
has blocks of its own.

Where PYTORCH_CUDA_ALLOC_CONF says expandable_segments:True, each pool is one segment that grows (expandable.py), and blocks are
split where 512 B remain. Other keys of that variable change nothing.

Cost: about 1 us a call; finding a block is a binary search in a sorted list.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from .expandable import ExpandableSegment
from .out_of_memory import out_of_memory
from .totals import Totals, statistics

_GRAIN = 512
_MiB = 1 << 20
_SMALL = _MiB  # the largest request that comes out of a small segment
_SMALL_SEGMENT = 2 * _MiB
_MEDIUM = 10 * _MiB  # requests below it share segments
_MEDIUM_SEGMENT = 20 * _MiB
_SEGMENT_GRAIN = 2 * _MiB


class Block:
    """A stretch of a segment: one tensor's memory, or free."""

    __slots__ = ("address", "after", "before", "is_free", "pool", "requested", "size")

    def __init__(self, pool: _Pool | None, address: int, size: int) -> None:
        self.pool = pool
        self.address = address
        self.size = size
        self.requested = 0
        self.is_free = False
        self.before: Block | None = None  # its neighbours in the segment
        self.after: Block | None = None


_NOTHING = Block(None, 0, 0)  # of a tensor without elements


class _Pool:
    """The free blocks of one stream, small or large, sorted by size, then address."""

    __slots__ = ("free", "least_rest", "segment", "totals")

    def __init__(self, totals: Totals, least_rest: int) -> None:
        self.totals = totals
        self.least_rest = least_rest
        self.free: list[tuple[int, int, Block]] = []
        self.segment: ExpandableSegment | None = None

    def take_out(self, block: Block) -> None:
        del self.free[bisect_left(self.free, (block.size, block.address))]


def _segment_size(rounded: int) -> int:
    if rounded <= _SMALL:
        return _SMALL_SEGMENT
    if rounded < _MEDIUM:
        return _MEDIUM_SEGMENT
    return -(-rounded // _SEGMENT_GRAIN) * _SEGMENT_GRAIN


class Allocator:
    """The memory of one GPU. Without a capacity it never ends. `expands`: its segments are expandable."""

    def __init__(self, capacity: int | None = None, device: int = 0, expands: bool = False) -> None:
        self.capacity = capacity
        self.expands = expands
        self._device = device
        self._all = Totals()
        self._small = Totals()
        self._large = Totals()
        self._small_pools: dict[int, _Pool] = {}
        self._large_pools: dict[int, _Pool] = {}
        self._segments: dict[int, Block] = {}  # the first block of each, by its address
        self._next_address = _SEGMENT_GRAIN
        self._retries = 0
        self._failures = 0

    def allocate(self, size: int, stream: int = 0) -> Block:
        """A block for a tensor of so many bytes. Raises what torch raises when the GPU is full."""
        rounded = (size + _GRAIN - 1) & -_GRAIN
        if rounded > _SMALL:
            pool = self._large_pools.get(stream)
        elif rounded:
            pool = self._small_pools.get(stream)
        else:
            return _NOTHING
        if pool is None:
            pool = self._new_pool(stream, rounded)
        free = pool.free
        at = bisect_left(free, (rounded,))
        if at < len(free):
            block = free.pop(at)[2]
            block.is_free = False
        else:
            block = self._new_segment(pool, rounded)
        totals = pool.totals
        after = block.after
        if after is None and block.before is None:
            totals.whole -= block.size
            self._all.whole -= block.size
        rest = block.size - rounded
        if rest >= pool.least_rest:
            block.size = rounded
            other = Block(pool, block.address + rounded, rest)
            other.is_free = True
            other.before = block
            other.after = after
            if after is not None:
                after.before = other
            block.after = other
            insort(free, (rest, other.address, other))
        block.requested = size
        totals.take(block.size, size)
        self._all.take(block.size, size)
        return block

    def free(self, block: Block) -> None:
        """Gives a block back. It is then no longer the caller's."""
        pool = block.pool
        if pool is None:
            return
        if block.is_free:
            raise ValueError(f"the block at {block.address} was freed before")
        size, requested = block.size, block.requested
        block.is_free = True
        before, after = block.before, block.after
        free = pool.free
        if after is not None and after.is_free:
            del free[bisect_left(free, (after.size, after.address))]
            block.size += after.size
            after = block.after = after.after
            if after is not None:
                after.before = block
        if before is not None and before.is_free:
            del free[bisect_left(free, (before.size, before.address))]
            before.size += block.size
            before.after = after
            if after is not None:
                after.before = before
            block = before
            before = block.before
        insort(free, (block.size, block.address, block))
        whole = block.size if before is None and after is None else 0
        pool.totals.give(size, requested, whole)
        self._all.give(size, requested, whole)

    def empty_cache(self) -> None:
        """Segments that are free as a whole go back to the GPU."""
        for pool in self._pools():
            if pool.segment is not None:
                self._shrink(pool, pool.segment)
                continue
            for _, _, block in list(pool.free):
                if block.before is None and block.after is None:
                    pool.take_out(block)
                    del self._segments[block.address]
                    for totals in (pool.totals, self._all):
                        totals.give_segment(block.size)

    def blocks(self) -> Iterator[list[Block]]:
        """The blocks of each segment, in the order of their addresses; of an expandable one its holes, too."""
        for first in self._segments.values():
            segment = [first]
            while (block := segment[-1].after) is not None:
                segment.append(block)
            yield segment

    @property
    def allocated(self) -> int:
        return self._all.bytes

    @property
    def reserved(self) -> int:
        return self._all.reserved

    @property
    def peak_allocated(self) -> int:
        return self._all.peak_bytes

    @property
    def peak_reserved(self) -> int:
        return self._all.peak_reserved

    def reset_peaks(self) -> None:
        """As torch.cuda.reset_peak_memory_stats."""
        for totals in (self._all, self._small, self._large):
            totals.reset_peaks()

    def reset_accumulated(self) -> None:
        """As torch.cuda.reset_accumulated_memory_stats."""
        for totals in (self._all, self._small, self._large):
            totals.reset_accumulated()
        self._retries = self._failures = 0

    def statistics(self) -> dict[str, int]:
        """Under the names of torch.cuda.memory_stats."""
        kinds = {"all": self._all, "small_pool": self._small, "large_pool": self._large}
        return statistics(kinds, self._retries, self._failures)

    def _new_pool(self, stream: int, rounded: int) -> _Pool:
        if rounded <= _SMALL:
            pool = self._small_pools[stream] = _Pool(self._small, _GRAIN)
        else:
            pool = self._large_pools[stream] = _Pool(self._large, _GRAIN if self.expands else _MiB + 1)
        if self.expands:
            page = _SMALL_SEGMENT if rounded <= _SMALL else _MEDIUM_SEGMENT
            number = len(self._small_pools) + len(self._large_pools)
            pool.segment = ExpandableSegment(pool, number, page, Block)
            first = pool.segment.holes[0][1]
            self._segments[first.address] = first
        return pool

    def _pools(self) -> tuple[_Pool, ...]:
        return (*self._small_pools.values(), *self._large_pools.values())

    def _grown(self, pool: _Pool, segment: ExpandableSegment, rounded: int) -> Block:
        """A block that an expandable segment grows by."""

        def take(size: int) -> bool:
            if not self._fits(size):
                return False
            for totals in (pool.totals, self._all):
                totals.grow_segment(size, is_new=segment.mapped == 0)
            return True

        block: Block | None = segment.grow(rounded, take)
        if block is None:
            self.empty_cache()
            self._retries += 1
            block = segment.grow(rounded, take)
        if block is None:
            self._failures += 1
            assert self.capacity is not None
            raise out_of_memory(self._device, _segment_size(rounded), self.capacity, self._all)
        return block

    def _shrink(self, pool: _Pool, segment: ExpandableSegment) -> None:
        def give(size: int) -> None:
            for totals in (pool.totals, self._all):
                totals.shrink_segment(size, is_last=segment.mapped == 0)

        segment.shrink(give)

    def _new_segment(self, pool: _Pool, rounded: int) -> Block:
        if pool.segment is not None:
            return self._grown(pool, pool.segment, rounded)
        size = _segment_size(rounded)
        if not self._fits(size):
            self.empty_cache()
            self._retries += 1
            if not self._fits(size):
                self._failures += 1
                assert self.capacity is not None
                raise out_of_memory(self._device, size, self.capacity, self._all)
        block = Block(pool, self._next_address, size)
        self._next_address += size
        self._segments[block.address] = block
        for totals in (pool.totals, self._all):
            totals.take_segment(size)
        return block

    def _fits(self, size: int) -> bool:
        return self.capacity is None or self._all.reserved + size <= self.capacity
