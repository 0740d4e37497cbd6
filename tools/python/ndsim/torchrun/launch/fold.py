"""Folded runs: few ranks run in the place of many that do the same.

A rank that runs acts for those that do as it does: its collectives cost what they cost all members, on their places in
the machine, and what the others would bring to them is taken to be what it brings itself: the simulated GPUs see to
that. Ranks that exchange messages are not alike, so that all of a group that has messages run: the stages of a pipeline.
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
    """What --fold asks for: the first K ranks, or these and whom they exchange messages with."""

    first: int | None = None
    seeds: tuple[int, ...] = ()

    @property
    def grows(self) -> bool:
        return bool(self.seeds)


def wish(text: str) -> Wish:
    """The wish that a text says: a number of ranks, `auto`, or `auto:0,1023`. Raises ValueError."""
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
    """How a world is folded: all of its ranks, and which of them run, ascending."""

    world: int
    running: tuple[int, ...]

    @property
    def is_folded(self) -> bool:
        return len(self.running) < self.world

    def acting_for(self, rank: int) -> int:
        """Which rank that runs does what this one would do."""
        count = len(self.running)
        if self.running[-1] == count - 1:
            return rank % count
        return self.running[max(bisect.bisect_right(self.running, rank) - 1, 0)]

    @functools.cached_property
    def acting(self) -> list[int]:
        """That, by rank."""
        return [self.acting_for(rank) for rank in range(self.world)]

    @functools.cached_property
    def stands_for(self) -> dict[int, int]:
        """How many ranks each one that runs is counted for, itself among them."""
        return collections.Counter(self.acting)

    def with_ranks(self, more: Sequence[int]) -> Fold:
        return Fold(self.world, tuple(sorted({*self.running, *more})))


def fold_of(world: int, asked: Wish | None) -> Fold:
    """The fold that a run begins with; nothing asked: everybody runs."""
    if asked is None:
        return Fold(world, tuple(range(world)))
    if asked.first is None:
        if asked.seeds[-1] >= world:
            raise UsageError(f"--fold {AUTO}:{asked.seeds[-1]}: there are ranks 0 to {world - 1}")
        return Fold(world, asked.seeds)
    if asked.first > world or world % asked.first:
        raise UsageError(f"--fold {asked.first}: the {world} ranks are no multiple of it")
    return Fold(world, tuple(range(asked.first)))
