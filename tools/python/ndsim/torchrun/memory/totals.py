"""What the caching allocator counts, of small segments, large ones, or all; and the names that torch has for it."""

from __future__ import annotations


class Totals:
    """Bytes and blocks: now, at most, and ever taken."""

    __slots__ = (
        "blocks",
        "blocks_taken",
        "bytes",
        "bytes_taken",
        "peak_blocks",
        "peak_bytes",
        "peak_requested",
        "peak_reserved",
        "peak_segments",
        "peak_split",
        "requested",
        "requested_taken",
        "reserved",
        "reserved_taken",
        "segments",
        "segments_taken",
        "whole",
    )

    def __init__(self) -> None:
        for name in self.__slots__:
            setattr(self, name, 0)

    def take(self, size: int, requested: int) -> None:
        """A block of so many bytes is a tensor's from now on."""
        self.blocks_taken += 1
        self.bytes_taken += size
        self.requested_taken += requested
        self.blocks += 1
        self.bytes += size
        self.requested += requested
        if self.blocks > self.peak_blocks:
            self.peak_blocks = self.blocks
        if self.bytes > self.peak_bytes:
            self.peak_bytes = self.bytes
        if self.requested > self.peak_requested:
            self.peak_requested = self.requested
        split = self.reserved - self.bytes - self.whole
        if split > self.peak_split:
            self.peak_split = split

    def give(self, size: int, requested: int, whole: int) -> None:
        """It is free again, and with it a whole segment of so many bytes."""
        self.blocks -= 1
        self.bytes -= size
        self.requested -= requested
        self.whole += whole
        split = self.reserved - self.bytes - self.whole
        if split > self.peak_split:
            self.peak_split = split

    def take_segment(self, size: int) -> None:
        """Of the GPU, free as a whole."""
        self.segments += 1
        self.segments_taken += 1
        self.reserved += size
        self.reserved_taken += size
        self.whole += size
        self.peak_segments = max(self.peak_segments, self.segments)
        self.peak_reserved = max(self.peak_reserved, self.reserved)

    def give_segment(self, size: int) -> None:
        """Back to the GPU."""
        self.segments -= 1
        self.reserved -= size
        self.whole -= size

    def grow_segment(self, size: int, is_new: bool) -> None:
        """An expandable segment has more memory of the GPU."""
        self.segments += is_new
        self.segments_taken += is_new
        self.reserved += size
        self.reserved_taken += size
        self.peak_segments = max(self.peak_segments, self.segments)
        self.peak_reserved = max(self.peak_reserved, self.reserved)

    def shrink_segment(self, size: int, is_last: bool) -> None:
        """It has less."""
        self.segments -= is_last
        self.reserved -= size

    @property
    def split(self) -> int:
        """Bytes that are free in segments of which something is in use."""
        return self.reserved - self.bytes - self.whole

    def reset_peaks(self) -> None:
        """Peaks are what is held now."""
        for name in ("blocks", "bytes", "requested", "reserved", "segments", "split"):
            setattr(self, f"peak_{name}", getattr(self, name))

    def reset_accumulated(self) -> None:
        """Nothing but what is held now was ever taken."""
        for name in ("blocks", "bytes", "requested", "reserved", "segments"):
            setattr(self, f"{name}_taken", getattr(self, name))


# torch's name, and the fields of Totals: now and at most; ever taken, where that is counted. No memory is used by a stream
# that did not ask for it, so that active is allocated.
_ROWS = (
    ("allocation", "blocks", True),
    ("segment", "segments", True),
    ("active", "blocks", True),
    ("allocated_bytes", "bytes", True),
    ("reserved_bytes", "reserved", True),
    ("active_bytes", "bytes", True),
    ("requested_bytes", "requested", True),
    ("inactive_split_bytes", "split", False),
)


def statistics(kinds: dict[str, Totals], retries: int, failures: int) -> dict[str, int]:
    """As torch.cuda.memory_stats has them, flat and in the order of names."""
    found = {"num_alloc_retries": retries, "num_ooms": failures, "max_split_size": -1}
    for name, field, is_counted in _ROWS:
        for kind, totals in kinds.items():
            now = getattr(totals, field)
            found[f"{name}.{kind}.current"] = now
            found[f"{name}.{kind}.peak"] = getattr(totals, f"peak_{field}")
            if is_counted:
                taken = getattr(totals, f"{field}_taken")
                found[f"{name}.{kind}.allocated"] = taken
                found[f"{name}.{kind}.freed"] = taken - now
    for name in ("oversize_allocations", "oversize_segments"):  # none without max_split_size
        for what in ("current", "peak", "allocated", "freed"):
            found[f"{name}.{what}"] = 0
    return dict(sorted(found.items()))
