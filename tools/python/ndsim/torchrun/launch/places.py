"""Records where in the script each rank waits, and what it called last, to explain a run that stopped making progress.

Ranks note it in shared memory, made before the fork, whenever they may wait for others.
"""

from __future__ import annotations

import mmap
from . import explain

WIDTH = 256
MOST_RANKS = 8
AT_THE_END = "the end of the script"


class Place:
    """The place of one rank."""

    def __init__(self, memory: mmap.mmap, rank: int) -> None:
        self._memory = memory
        self._wait = 2 * WIDTH * rank
        self._call = self._wait + WIDTH

    def _write(self, at: int, text: str) -> None:
        data = text.encode()[: WIDTH - 1] + b"\0"
        self._memory[at : at + len(data)] = data

    def _read(self, at: int) -> str:
        return self._memory[at : at + WIDTH].split(b"\0")[0].decode(errors="ignore")

    def is_at(self, line: str) -> None:
        """The script may wait at this line; at any other line it has moved on."""
        self._write(self._wait, line or AT_THE_END)

    def go_on(self) -> None:
        self._memory[self._wait] = 0

    def call(self, what: str) -> None:
        """The script makes a call that other ranks have to make, too."""
        self._write(self._call, what)

    def waits_at(self) -> str:
        return self._read(self._wait)

    def called(self) -> str:
        return self._read(self._call)


class Places:
    """The places of all ranks."""

    def __init__(self, ranks: int) -> None:
        self._memory = mmap.mmap(-1, 2 * WIDTH * ranks)
        self._ranks = ranks

    def close(self) -> None:
        self._memory.close()

    def of(self, rank: int) -> Place:
        return Place(self._memory, rank)

    def told(self, ranks_that_wait: bool) -> str:
        """Lines of text: where the waiting ranks wait, and what every other rank called last; or the latter for all ranks.

        A rank that is not waiting yet may have called something that never completes. Empty if there is nothing to show.
        """
        ranks_of: dict[tuple[str, str], list[int]] = {}
        for rank in range(self._ranks):
            place = self.of(rank)
            at, called = place.waits_at(), place.called()
            if ranks_that_wait and at:
                ranks_of.setdefault(("waits", waiting(at, called)), []).append(rank)
            elif called:
                ranks_of.setdefault(("called", called), []).append(rank)
        lines = [
            f"  {many(ranks)} {does if len(ranks) == 1 else does.removesuffix('s')} {text}"
            for (does, text), ranks in ranks_of.items()
        ]
        return "\n".join(["in the script", *lines]) if lines else ""


def waiting(at: str, called: str) -> str:
    """The line at which a rank waits, and the call, as far as known: it may have called more since."""
    if not called:
        return f"at {at}"
    here = f" ({at})"
    return f"at {at}, in {called.removesuffix(here)}" if called.endswith(here) else f"at {at}, having called {called}"


def many(ranks: list[int]) -> str:
    shown = ", ".join(map(str, ranks[:MOST_RANKS])) + (", …" if len(ranks) > MOST_RANKS else "")
    return f"rank {shown}" if len(ranks) == 1 else f"{len(ranks)} ranks ({shown})"
