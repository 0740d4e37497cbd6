"""Folded runs: a few ranks stand for many that do the same.

A running rank acts for its equals: its collectives cost what they would with all members at their places in the machine, and the
data of the others is assumed to equal its own. The simulated GPUs take care of that. Ranks that exchange messages are not equal,
so all ranks of a group that exchanges messages, such as the stages of a pipeline, run.
"""

from __future__ import annotations

import bisect
import collections
import dataclasses
import functools
from collections.abc import Sequence

from ..._errors import UsageError

AUTO = "auto"


@dataclasses.dataclass(frozen=True)
class Wish:
    """The value of --fold: the first K ranks, or these and the ranks they exchange messages with."""

    first: int | None = None
    seeds: tuple[int, ...] = ()

    @property
    def grows(self) -> bool:
        return bool(self.seeds)


def wish(text: str) -> Wish:
    """Parses a number of ranks, `auto`, or `auto:0,1023`. Raises ValueError."""
    how, colon, seeds = text.partition(":")
    if how == AUTO:
        return Wish(seeds=tuple(sorted({rank_of(seed) for seed in seeds.split(",")})) if colon else (0,))
    try:
        first = int(text)
    except ValueError:
        raise ValueError(f"must be a number of ranks, {AUTO}, or {AUTO}: with ranks, as {AUTO}:0,1023") from None
    if first < 1:
        raise ValueError("must be at least 1")
    return Wish(first=first)


def rank_of(text: str) -> int:
    if not text.isdecimal():
        what = repr(text) if text else "nothing"
        raise ValueError(f"has {what} where the number of a rank belongs, as in {AUTO}:0,1023")
    return int(text)


@dataclasses.dataclass(frozen=True)
class Fold:
    """A folded world: its size, and the ranks that run, ascending."""

    world: int
    running: tuple[int, ...]

    @property
    def is_folded(self) -> bool:
        return len(self.running) < self.world

    def acting_for(self, rank: int) -> int:
        """The running rank that does what this one would do."""
        count = len(self.running)
        if self.running[-1] == count - 1:
            return rank % count
        return self.running[max(bisect.bisect_right(self.running, rank) - 1, 0)]

    @functools.cached_property
    def acting(self) -> list[int]:
        """The acting rank of each rank."""
        return [self.acting_for(rank) for rank in range(self.world)]

    @functools.cached_property
    def stands_for(self) -> dict[int, int]:
        """How many ranks each running rank stands for, including itself."""
        return collections.Counter(self.acting)

    def with_ranks(self, more: Sequence[int]) -> Fold:
        return Fold(self.world, tuple(sorted({*self.running, *more})))


def fold_of(world: int, asked: Wish | None) -> Fold:
    """The initial fold of a run; without a wish, all ranks run."""
    if asked is None:
        return Fold(world, tuple(range(world)))
    if asked.first is None:
        if asked.seeds[-1] >= world:
            raise UsageError(f"--fold {AUTO}:{asked.seeds[-1]}: there are ranks 0 to {world - 1}")
        return Fold(world, asked.seeds)
    if asked.first > world or world % asked.first:
        raise UsageError(f"--fold {asked.first}: the {world} ranks are not a multiple of it")
    return Fold(world, tuple(range(asked.first)))
