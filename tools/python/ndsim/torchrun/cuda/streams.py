"""CUDA streams and events in simulated time.

Kernels run on the GPU's one compute stream, whatever CUDA stream is current. A CUDA stream that is not the default one
remembers which collectives it waits for, and whether it waits for what the compute stream was given: so a collective
that is started on it can run beside the computing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..pending import Entry

MILLISECOND = 1_000_000_000


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


class Stream:
    """A CUDA stream: the main one, or one beside it."""

    def __init__(self, streams: Streams) -> None:
        self.streams = streams
        self.entries: list[Entry] = []
        self.behind_main = False
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
            self.behind_main = True

    def before_collective(self) -> tuple[bool, list[Entry]]:
        """Whether a collective that is started now waits for the compute stream, and what else it waits for."""
        if self.is_main:
            return True, []
        behind, self.behind_main = self.behind_main, False
        before = list(self.open_entries())
        if self.last is not None and not self.last.joined and self.last not in before:
            before.append(self.last)
        return behind, before

    def synchronize(self) -> None:
        for entry in list(self.open_entries()):
            self.streams.rank.pending.join(entry)
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
