"""An expandable segment of the caching allocator: the memory of one stream's large or small requests, which grows.

PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True has one for each pool, in the place of many segments: a stretch of addresses
as long as one likes, of which pages of 20 MiB (large requests) or 2 MiB (small ones) have memory. What is free in it can lose
its pages again, wherever it lies, so that no request fails for the want of one long piece. The rules are those of
map_block, unmap_block and try_allocate_expandable_block in c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.x.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import Any

_LENGTH = 1 << 50  # of the addresses of a segment: more than any GPU has memory


def expands(settings: str) -> bool:
    """Whether a value of PYTORCH_CUDA_ALLOC_CONF asks for expandable segments."""
    chosen = False
    for setting in settings.replace(" ", "").split(","):
        name, _, value = setting.partition(":")
        if name == "expandable_segments":
            chosen = value == "True"
    return chosen


class ExpandableSegment:
    """Of one pool. Its blocks are neighbours without a gap; those in `holes` have no memory. The last of them is one."""

    def __init__(self, pool: Any, number: int, page: int, make_block: Callable[[Any, int, int], Any]) -> None:
        self.pool = pool
        self.page = page
        self.make_block = make_block
        self.mapped = 0
        self.holes: list[tuple[int, Any]] = []
        hole = make_block(pool, (number + 1) * _LENGTH // page * page, _LENGTH // page * page)
        self.holes.append((hole.address, hole))

    def grow(self, size: int, take: Callable[[int], bool]) -> Any:
        """A free block of at least so many bytes, out of the pool. None: take(bytes) did not give a page."""
        block = self._room(size)
        if not block.is_free:
            block = self._map(block, min(size, block.size), take)
        while block is not None and block.size < size:
            block = self._map(block.after, min(size - block.size, block.after.size), take)
        if block is not None:
            self.pool.take_out(block)
            block.is_free = False
        return block

    def shrink(self, give: Callable[[int], None]) -> None:
        """Pages that are free as a whole lose their memory."""
        for _, _, block in list(self.pool.free):
            begin = -(-block.address // self.page) * self.page
            end = (block.address + block.size) // self.page * self.page
            if begin >= end:
                continue
            self.pool.take_out(block)
            if begin > block.address:
                rest = self._cut(block, begin - block.address)
                insort(self.pool.free, (block.size, block.address, block))
                block = rest
            if block.address + block.size > end:
                rest = self._cut(block, end - block.address)
                insort(self.pool.free, (rest.size, rest.address, rest))
            block.is_free = False
            self._make_hole(block)
            self.mapped -= end - begin
            give(end - begin)

    def _room(self, size: int) -> Any:
        """The first of neighbours, free or without memory, that have so many bytes together: of the lowest address."""
        for _, hole in self.holes:
            first = hole.before if hole.before is not None and hole.before.is_free else hole
            room, block = 0, first
            while room < size and block is not None and (block.is_free or self._is_hole(block)):
                room += block.size
                block = block.after
            if room >= size:
                return first
        raise AssertionError("a segment ends with a hole")

    def _is_hole(self, block: Any) -> bool:
        at = bisect_left(self.holes, (block.address,))
        return at < len(self.holes) and self.holes[at][1] is block

    def _map(self, hole: Any, size: int, take: Callable[[int], bool]) -> Any:
        """Give the beginning of a hole memory. Returns the free block that it is part of then."""
        size = -(-size // self.page) * self.page
        if not take(size):
            return None
        self.mapped += size
        del self.holes[bisect_left(self.holes, (hole.address,))]
        if size < hole.size:
            rest = self._cut(hole, size)
            insort(self.holes, (rest.address, rest))
        hole.is_free = True
        for other in (hole.before, hole.after):
            if other is not None and other.is_free:
                self.pool.take_out(other)
                hole = self._joined(*sorted((hole, other), key=lambda block: int(block.address)))
        insort(self.pool.free, (hole.size, hole.address, hole))
        return hole

    def _make_hole(self, block: Any) -> None:
        for other in (block.before, block.after):
            if other is not None and self._is_hole(other):
                del self.holes[bisect_left(self.holes, (other.address,))]
                block = self._joined(*sorted((block, other), key=lambda each: int(each.address)))
        insort(self.holes, (block.address, block))

    def _cut(self, block: Any, size: int) -> Any:
        """Its first bytes stay the block's; the rest becomes one of its own."""
        rest = self.make_block(self.pool, block.address + size, block.size - size)
        block.size = size
        rest.is_free = block.is_free
        rest.before, rest.after = block, block.after
        if rest.after is not None:
            rest.after.before = rest
        block.after = rest
        return rest

    @staticmethod
    def _joined(first: Any, second: Any) -> Any:
        first.size += second.size
        first.after = second.after
        if first.after is not None:
            first.after.before = first
        return first
