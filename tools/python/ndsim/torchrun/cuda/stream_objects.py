"""torch.cuda.Stream, Event and stream(): what a script holds of the streams of this rank."""

from __future__ import annotations

from typing import Any

import torch

from .. import rank as ranks
from .devices import index_of
from .streams import Event, Stream, Streams


def streams_here() -> Streams:
    """The streams of this process's rank."""
    here = ranks.this_rank()
    if here is None:
        raise RuntimeError("this process is no rank, so it has no CUDA streams")
    found: Streams = here.streams
    return found


class CudaStream:
    """torch.cuda.Stream."""

    def __init__(self, device: Any = None, priority: int = 0, *, of: Stream | None = None, **others: Any) -> None:
        self._stream = of if of is not None else Stream(streams_here())
        self.priority = priority
        index = index_of(device)
        self.device_index = index if index is not None else torch.cuda.current_device()
        self.device = torch.device("cuda", self.device_index)

    @property
    def cuda_stream(self) -> int:
        return self._stream.number

    def wait_stream(self, stream: CudaStream) -> None:
        self._stream.wait_stream(stream._stream)

    def wait_event(self, event: CudaEvent) -> None:
        event.wait(self)

    def record_event(self, event: CudaEvent | None = None) -> CudaEvent:
        event = event if event is not None else CudaEvent()
        event.record(self)
        return event

    def synchronize(self) -> None:
        self._stream.synchronize()

    def query(self) -> bool:
        self._stream.synchronize()
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CudaStream) and other._stream is self._stream

    def __hash__(self) -> int:
        return hash(self._stream)

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class CudaEvent:
    """torch.cuda.Event."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self._event = Event(streams_here(), enable_timing)

    def record(self, stream: CudaStream | None = None) -> None:
        self._event.record(stream._stream if stream is not None else streams_here().current)

    def wait(self, stream: CudaStream | None = None) -> None:
        target = stream._stream if stream is not None else streams_here().current
        if self._event.recorded:
            target.wait_stream(self._event.snapshot)

    def synchronize(self) -> None:
        self._event.synchronize()

    def query(self) -> bool:
        return self._event.query()

    def elapsed_time(self, end_event: CudaEvent) -> float:
        return self._event.milliseconds_until(end_event._event)


class StreamContext:
    """torch.cuda.stream: the stream that is current in a block."""

    def __init__(self, stream: CudaStream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        self._before = streams_here().current
        set_stream(self.stream)

    def __exit__(self, *error: object) -> None:
        streams_here().current = self._before


def current_stream(device: Any = None) -> CudaStream:
    return CudaStream(device, of=streams_here().current)


def default_stream(device: Any = None) -> CudaStream:
    return CudaStream(device, of=streams_here().main)


def set_stream(stream: CudaStream | None) -> None:
    if stream is not None:
        streams_here().current = stream._stream


def install() -> None:
    """Put streams and events into torch.cuda."""
    for module in (torch.cuda, torch.cuda.streams):
        module.Stream = module.ExternalStream = CudaStream  # type: ignore[assignment, misc]
        module.Event = CudaEvent  # type: ignore[assignment, misc]
    torch.cuda.StreamContext = StreamContext  # type: ignore[assignment, misc]
    torch.cuda.stream = StreamContext  # type: ignore[assignment]
    torch.cuda.current_stream = current_stream  # type: ignore[assignment]
    torch.cuda.default_stream = default_stream  # type: ignore[assignment]
    torch.cuda.set_stream = set_stream  # type: ignore[assignment]
