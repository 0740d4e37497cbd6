"""CUDA streams and events in simulated time.

Kernels run on the GPU's one compute stream. A CUDA stream that is not the default one remembers which collectives it waits
for, and whether it waits for what the compute stream was given: so a collective that is started on it can run beside the
computing. Small kernels of its own, such as FSDP's casts of a shard, run beside the computing, too, and take no time from
it; those that wait for a collective or for the compute stream are done there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..groups.pending import Entry

MILLISECOND = 1_000_000_000
MARKS = 62
"""The simulator's stream that marks where the compute stream is."""


class Streams:
    """The streams of one rank."""

    def __init__(self, rank: Any) -> None:
        self.rank = rank
        self.made = 0
        self.main = Stream(self)
        self.current = self.main

    def beside(self, entry: Entry | None) -> Stream:
        """A new stream that waits for this operation alone."""
        side = Stream(self)
        if entry is not None:
            side.wait_entry(entry)
        return side

    @contextlib.contextmanager
    def use(self, stream: Stream) -> Iterator[None]:
        before, self.current = self.current, stream
        try:
            yield
        finally:
            self.current = before

    def mark(self) -> Mark:
        """Where the compute stream is now."""
        self.rank.operators.end_chains()
        return Mark(self.rank.device.mark(MARKS))

    def synchronize(self) -> None:
        """The host waits for the compute stream."""
        self.rank.operators.end_chains()
        self.rank.device.synchronize()

    def synchronize_all(self) -> None:
        """The host waits for all streams."""
        self.rank.pending.join_all()
        self.synchronize()

    def has_ended(self, entry: Entry) -> bool:
        """Whether an operation has ended where the GPU is now; if so, it is joined. Asking takes no time.

        Who is told no twice goes on at the next time at which something ends, so a loop that asks comes to its end.
        """
        if entry.joined:
            return True
        rank = self.rank
        rank.operators.end_chains()
        rank.device.flush()
        if not rank.gpu.test(entry.handle):
            return False
        rank.pending.join(entry)
        return True


class Mark:
    """A place in the compute stream, which that one has passed and others may wait for."""

    __slots__ = ("handle",)

    joined = False

    def __init__(self, handle: Any) -> None:
        self.handle = handle


class Stream:
    """A CUDA stream: the main one, or one beside it."""

    def __init__(self, streams: Streams) -> None:
        self.streams = streams
        self.entries: list[Entry] = []
        self.mark: Mark | None = None
        self.behind_main = False
        self.until = 0
        """When its own kernels have ended, in picoseconds."""
        self.last: Entry | None = None
        self.number = streams.made
        streams.made += 1

    @property
    def is_main(self) -> bool:
        return self is self.streams.main

    def wait_entry(self, entry: Entry) -> None:
        """All that comes on this stream waits for this operation."""
        if self.is_main:
            self.streams.rank.pending.join(entry)
        elif not entry.joined:
            self.entries.append(entry)

    def open_entries(self) -> list[Entry]:
        self.entries = [entry for entry in self.entries if not entry.joined]
        return self.entries

    def wait_stream(self, other: Stream) -> None:
        if other is self:
            return
        for entry in list(other.open_entries()):
            self.wait_entry(entry)
        if other.is_main or other.behind_main:
            # From here on a later place stands for every earlier one.
            other.behind_main = False
            other.mark = self.streams.mark()
        if not self.is_main and other.mark is not None:
            self.mark = other.mark
        if other.until > self.until:
            self.until = other.until
            if self.is_main:
                self.streams.rank.device.join_time(other.until)

    @property
    def runs_beside(self) -> bool:
        """Whether a kernel that is launched now does not wait for the compute stream.

        A collective before it on this stream counts for the collectives after it alone.
        """
        return not (self.is_main or self.behind_main)

    def launch_beside(self, picoseconds: int) -> None:
        """A kernel of this stream's own."""
        rank = self.streams.rank
        rank.device.pass_host(rank.prices.launch_picoseconds)
        self.until = max(self.until, rank.device.host_picoseconds) + picoseconds

    def before_collective(self) -> tuple[bool, list[Any]]:
        """Whether a collective that is started now waits for the compute stream, and what else it waits for."""
        if self.is_main:
            return True, []
        behind, self.behind_main = self.behind_main, False
        if behind and self.until:
            self.streams.rank.device.join_time(self.until)
        before: list[Any] = list(self.open_entries())
        if self.mark is not None:
            before.append(self.mark)
        if self.last is not None and not self.last.joined and self.last not in before:
            before.append(self.last)
        return behind, before

    def synchronize(self) -> None:
        for entry in list(self.open_entries()):
            self.streams.rank.pending.join(entry)
        device = self.streams.rank.device
        device.pass_host(max(self.until - device.host_picoseconds, 0))
        self.streams.synchronize()


class Event:
    """A point on a stream, and its device time where it is measured."""

    def __init__(self, streams: Streams, measured: bool) -> None:
        self.streams = streams
        self.measured = measured
        self.at: int | None = None
        self.recorded = False
        self.snapshot = Stream(streams)

    def record(self, stream: Stream) -> None:
        self.recorded = True
        self.snapshot = Stream(self.streams)
        self.snapshot.wait_stream(stream)
        if self.measured:
            # What the stream waits for has a time once it has been joined.
            for entry in list(self.snapshot.open_entries()):
                self.streams.rank.pending.join(entry)
            self.streams.rank.operators.end_chains()
            self.at = self.streams.rank.device.now()

    def synchronize(self) -> None:
        if not self.recorded:
            return
        device = self.streams.rank.device
        if self.at is None:
            self.snapshot.synchronize()
        elif self.at > device.host_picoseconds:
            device.pass_host(self.at - device.host_picoseconds)

    def query(self) -> bool:
        """Whether the device has come to it by the host's clock. Asking takes the host a launch."""
        if not self.recorded:
            return True
        rank = self.streams.rank
        rank.device.pass_host(rank.prices.launch_picoseconds)
        if self.at is None:
            self.synchronize()
            return True
        return self.at <= rank.device.host_picoseconds

    def milliseconds_until(self, end: Event) -> float:
        if not (self.measured and end.measured):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self.at is None or end.at is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end.at - self.at) / MILLISECOND
