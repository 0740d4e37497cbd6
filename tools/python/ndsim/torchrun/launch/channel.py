"""Messages from the ranks to the process that launched them: anything but numbers, and the last words of a failing rank.

One file in memory, made before the fork, to which every rank appends lines of JSON. It never appears in a file system, so nothing
is left behind, whichever process gets killed.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import Any


class Channel:
    """A record is a rank, a topic, and a value."""

    def __init__(self) -> None:
        self._file = os.memfd_create("ndsim-words")
        fcntl.fcntl(self._file, fcntl.F_SETFL, os.O_APPEND)

    def close(self) -> None:
        os.close(self._file)

    def tell(self, rank: int, about: str, value: Any) -> None:
        os.write(self._file, (json.dumps([rank, about, value]) + "\n").encode())

    def told(self, about: str) -> list[tuple[int, Any]]:
        """Each rank with what it said about this topic, in order of arrival."""
        size = os.fstat(self._file).st_size
        lines = os.pread(self._file, size, 0).splitlines()
        records = [json.loads(line) for line in lines if line.endswith(b"]")]
        return [(rank, value) for rank, what, value in records if what == about]
