"""What a caller and the processes of its run hand to each other: one file in memory, in which each has a stretch.

Nothing of it is in a file system, so nothing is left behind, whatever kills whom.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from ..._errors import Error
from ..options import Options
from .shipped import Shipped

STRETCH = 1 << 40  # bytes; what nobody writes takes no memory
HEADER = 8  # bytes, which hold the length of what follows


@dataclasses.dataclass(frozen=True)
class Request:
    """What the caller asks for, and what of itself the ranks find as their own."""

    options: Options
    program: Shipped
    caller: int
    path: list[str]
    argv: list[str]


@dataclasses.dataclass(frozen=True)
class Answer:
    """How the run went. An exception is its class and what makes it: the object may hold what cannot be sent."""

    report: dict[str, Any] | None
    """None: there was no run."""
    text: str
    error: tuple[type[Error], str, int | None, int] | None
    """Its class, message, rank and signal; None: it went well."""


class Exchange:
    """It holds a request to the process that starts ranks, that process's answer, and what each rank returns."""

    REQUEST, ANSWER, FIRST_RANK = range(3)

    def __init__(self, file: int | None = None) -> None:
        """Of a file that another process has made; None: a new one."""
        self.file = os.memfd_create("ndsim-function") if file is None else file

    def close(self) -> None:
        os.close(self.file)

    def put(self, place: int, data: bytes) -> None:
        begin, rest = place * STRETCH, memoryview(data)
        while rest:
            rest = rest[os.pwrite(self.file, rest, begin + HEADER + len(data) - len(rest)) :]
        os.pwrite(self.file, len(data).to_bytes(HEADER, "little"), begin)

    def take(self, place: int) -> bytes:
        """Empty: nobody has put anything there."""
        begin = place * STRETCH
        left = int.from_bytes(os.pread(self.file, HEADER, begin), "little")
        parts: list[bytes] = []
        while left:
            parts.append(os.pread(self.file, left, begin + HEADER + sum(map(len, parts))))
            left -= len(parts[-1])
        return b"".join(parts)
