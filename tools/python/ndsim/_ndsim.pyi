"""The compiled part of ndsim. An `_Array` is a NumPy array, or any other buffer: contiguous, in C order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

_Array = Any

class GPU:
    @property
    def rank(self) -> int: ...
    @property
    def world_size(self) -> int: ...
    @property
    def world(self) -> Group: ...
    def compute(self, label: str = "", units: float | None = None, flops: float | None = None) -> None: ...
    def compute_async(self, label: str = "", units: float | None = None, flops: float | None = None) -> Handle: ...
    def send(
        self,
        target: int,
        data: _Array | None = None,
        *,
        label: str = "",
        units: float | None = None,
        bytes: float | None = None,
        tag: int = 0,
    ) -> None: ...
    def send_async(
        self,
        target: int,
        data: _Array | None = None,
        *,
        label: str = "",
        units: float | None = None,
        bytes: float | None = None,
        tag: int = 0,
    ) -> Handle: ...
    def receive(
        self,
        source: int | None = None,
        into: _Array | None = None,
        *,
        label: str = "",
        units: float | None = None,
        bytes: float | None = None,
        tag: int = 0,
        dtype: Any | None = None,
    ) -> Any: ...
    def receive_async(
        self,
        source: int,
        into: _Array | None = None,
        *,
        label: str = "",
        units: float | None = None,
        bytes: float | None = None,
        tag: int = 0,
    ) -> Handle: ...
    def probe(self, source: int | None = None, *, tag: int = 0) -> Arrival: ...
    def probe_now(self, source: int | None = None, *, tag: int = 0) -> Arrival | None: ...
    def on(self, stream: int) -> StreamBlock: ...
    def wait(self, *handles: Handle) -> Any: ...
    def test(self, handle: Handle) -> bool: ...
    def all_reduce(
        self,
        data: _Array | None = None,
        *,
        reduction: str = "sum",
        units: float | None = None,
        bytes: float | None = None,
        group: Group | None = None,
        whole: bool = False,
        algorithm: str = "",
        channels: int = 1,
        pieces: int = 0,
        inner: int = 0,
        middle: int = 0,
    ) -> Any: ...
    def reduce_scatter(
        self,
        data: _Array | None = None,
        *,
        reduction: str = "sum",
        units: float | None = None,
        bytes: float | None = None,
        group: Group | None = None,
        whole: bool = False,
        algorithm: str = "",
        channels: int = 1,
        pieces: int = 0,
        inner: int = 0,
        middle: int = 0,
    ) -> Any: ...
    def reduce(
        self,
        root: int,
        data: _Array | None = None,
        *,
        reduction: str = "sum",
        units: float | None = None,
        bytes: float | None = None,
        group: Group | None = None,
        whole: bool = False,
        algorithm: str = "",
        channels: int = 1,
        pieces: int = 0,
        inner: int = 0,
        middle: int = 0,
    ) -> Any: ...
    def all_gather(
        self,
        data: _Array | None = None,
        *,
        units: float | None = None,
        bytes: float | None = None,
        group: Group | None = None,
        whole: bool = False,
        algorithm: str = "",
        channels: int = 1,
        pieces: int = 0,
        inner: int = 0,
        middle: int = 0,
    ) -> Any: ...
    def all_to_all(
        self,
        data: _Array | None = None,
        *,
        units: float | None = None,
        bytes: float | None = None,
        group: Group | None = None,
        whole: bool = False,
        algorithm: str = "",
        channels: int = 1,
        pieces: int = 0,
        inner: int = 0,
        middle: int = 0,
    ) -> Any: ...
    def broadcast(
        self,
        root: int,
        data: _Array | None = None,
        *,
        units: float | None = None,
        bytes: float | None = None,
        group: Group | None = None,
        whole: bool = False,
        algorithm: str = "",
        channels: int = 1,
        pieces: int = 0,
        inner: int = 0,
        middle: int = 0,
    ) -> Any: ...
    def gather(
        self,
        root: int,
        data: _Array | None = None,
        *,
        units: float | None = None,
        bytes: float | None = None,
        group: Group | None = None,
        whole: bool = False,
        algorithm: str = "",
        channels: int = 1,
        pieces: int = 0,
        inner: int = 0,
        middle: int = 0,
    ) -> Any: ...
    def scatter(
        self,
        root: int,
        data: _Array | None = None,
        *,
        units: float | None = None,
        bytes: float | None = None,
        group: Group | None = None,
        whole: bool = False,
        algorithm: str = "",
        channels: int = 1,
        pieces: int = 0,
        inner: int = 0,
        middle: int = 0,
    ) -> Any: ...
    def all_to_all_v(
        self,
        parts: list[_Array],
        *,
        units: float | None = None,
        bytes: float | None = None,
        group: Group | None = None,
    ) -> list[bytes]: ...
    def barrier(self, group: Group | None = None) -> None: ...
    def allocate(self, label: str = "", units: float | None = None, bytes: float | None = None) -> None: ...
    def release(self, label: str = "", units: float | None = None, bytes: float | None = None) -> None: ...
    def now(self) -> float: ...
    def log(self, text: object) -> None: ...
    def report(self, name: str, values: float | Sequence[float]) -> None: ...

class Handle:
    @property
    def joined(self) -> bool: ...
    def wait(self) -> Any: ...
    def test(self) -> bool: ...

class StreamBlock:
    def __enter__(self) -> Handle: ...
    def __exit__(self, *error: object) -> None: ...

class Device:
    def __init__(self, gpu: GPU, launch_picoseconds: int) -> None: ...
    @property
    def host_picoseconds(self) -> int: ...
    def kernel(self, label: str, picoseconds: int) -> None: ...
    def pass_host(self, picoseconds: int) -> None: ...
    def allocate(self, label: str, bytes: int) -> None: ...
    def collective(
        self,
        stream: int,
        kind: str,
        bytes: int,
        *,
        group: Group,
        root: int = -1,
        data: _Array | None = None,
        takes: bool = True,
        after_main: bool = True,
        after: Sequence[Handle] = (),
        label: str = "",
    ) -> Handle: ...
    def join(self, *handles: Handle) -> None: ...
    def take(self, handle: Handle) -> list[memoryview]: ...
    def now(self) -> int: ...
    def synchronize(self) -> int: ...
    def flush(self) -> None: ...

class Arrival:
    @property
    def source(self) -> int: ...
    @property
    def tag(self) -> int: ...
    @property
    def data_bytes(self) -> int: ...
    @property
    def units(self) -> float | None: ...
    @property
    def bytes(self) -> int | None: ...

class Group:
    @staticmethod
    def strided(first: int, stride: int, count: int) -> Group: ...
    @staticmethod
    def of(ranks: Sequence[int]) -> Group: ...
    @staticmethod
    def world(ranks: int) -> Group: ...
    @property
    def ranks(self) -> list[int]: ...
    def index_of(self, rank: int) -> int: ...
    def right_of(self, rank: int) -> int: ...
    def left_of(self, rank: int) -> int: ...
    def __len__(self) -> int: ...
    def __contains__(self, rank: int) -> bool: ...
    def __iter__(self) -> Iterator[int]: ...

class Mesh:
    def __init__(self, order: str = "tp-cp-ep-dp-pp", **sizes: int) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def axes(self) -> dict[str, int]: ...
    def coordinate(self, rank: int, axis: str) -> int: ...
    def rank_of(self, **at: int) -> int: ...
    def along(self, rank: int, *axes: str) -> Group: ...
    def check_world(self, ranks: int) -> None: ...

class RankTotals:
    @property
    def compute(self) -> float: ...
    @property
    def communication(self) -> float: ...
    @property
    def idle(self) -> float: ...
    @property
    def idle_in_collectives(self) -> float: ...
    @property
    def end(self) -> float: ...
    @property
    def bytes_sent(self) -> int: ...
    @property
    def units_sent(self) -> float: ...
    @property
    def messages_sent(self) -> int: ...
    @property
    def peak_bytes(self) -> int: ...
    @property
    def peak_units(self) -> float: ...
    @property
    def ops(self) -> int: ...

class Fault:
    @property
    def kind(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def signal(self) -> int: ...
    @property
    def message(self) -> str: ...

class Result:
    @property
    def seconds(self) -> float: ...
    @property
    def picoseconds(self) -> int: ...
    @property
    def wall_seconds(self) -> float: ...
    @property
    def timeline_sha256(self) -> str: ...
    @property
    def ranks(self) -> list[RankTotals]: ...
    @property
    def messages(self) -> int: ...
    @property
    def ops(self) -> int: ...
    @property
    def pids(self) -> list[int]: ...
    @property
    def reports(self) -> dict[str, dict[int, list[float]]]: ...
    @property
    def fault(self) -> Fault | None: ...
    def timeline(self) -> dict[str, Any]: ...
    def text(self, width: int = 100, *, ascii: bool = False, colour: bool = False) -> str: ...
    def svg(self) -> str: ...
    def save_trace(self, file: str) -> None: ...
    def save_svg(self, file: str) -> None: ...
    def report(self, file: str) -> None: ...
    def _repr_svg_(self) -> str | None: ...
    def _repr_html_(self) -> str | None: ...

class LogLine:
    @property
    def seconds(self) -> float: ...
    @property
    def rank(self) -> int: ...
    @property
    def pid(self) -> int: ...
    @property
    def text(self) -> str: ...

def run(
    ranks: int,
    program: Callable[[GPU], str],
    *,
    on_log: Callable[[LogLine], Any] | None,
    on_notice: Callable[[str], Any],
    machine: str,
    profile: str,
    time_scale: float | None,
    watchdog: float,
    timeline: bool,
    blocking_sends: bool,
    title: str,
) -> Result: ...
def answer(command: str, options: dict[str, Any]) -> str: ...
