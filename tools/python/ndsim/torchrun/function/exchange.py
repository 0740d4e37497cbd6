"""Carries data between a caller and the processes of its run: one file in memory, in which each has a region.

It never appears in a file system, so nothing is left behind, whichever process gets killed.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from ..._errors import Error
from ..options import Options
from .shipped import Shipped

STRETCH = 1 << 40  # bytes; unwritten regions take no memory
HEADER = 8  # bytes for the length of the data that follows


@dataclasses.dataclass(frozen=True)
class Request:
    """The caller's request, with the parts of its own state that the ranks inherit."""

    options: Options
    program: Shipped
    caller: int
    path: list[str]
    argv: list[str]


@dataclasses.dataclass(frozen=True)
class Answer:
    """The outcome of the run. An exception is stored as its class and arguments: the object may hold things that cannot be
    pickled."""

    report: dict[str, Any] | None
    """None if there was no run."""
    text: str
    error: tuple[type[Error], str, int | None, int] | None
    """Class, message, rank and signal of the error; None if it went well."""


class Exchange:
    """Holds a request to the process that starts ranks, that process's answer, and the return value of each rank."""

    REQUEST, ANSWER, FIRST_RANK = range(3)

    def __init__(self, file: int | None = None) -> None:
        """Opens a file that another process has made; None: creates one."""
        self.file = os.memfd_create("ndsim-function") if file is None else file

    def close(self) -> None:
        os.close(self.file)

    def put(self, place: int, data: bytes) -> None:
        begin, rest = place * STRETCH, memoryview(data)
        while rest:
            rest = rest[os.pwrite(self.file, rest, begin + HEADER + len(data) - len(rest)) :]
        os.pwrite(self.file, len(data).to_bytes(HEADER, "little"), begin)

    def take(self, place: int) -> bytes:
        """Empty if nothing has been put there."""
        begin = place * STRETCH
        left = int.from_bytes(os.pread(self.file, HEADER, begin), "little")
        parts: list[bytes] = []
        while left:
            parts.append(os.pread(self.file, left, begin + HEADER + sum(map(len, parts))))
            left -= len(parts[-1])
        return b"".join(parts)
