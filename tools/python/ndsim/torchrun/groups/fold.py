"""Folded runs: few ranks run in the place of many that do the same.

Ranks 0 … K-1 of the world run. Rank i stands for i + K, i + 2K, …; its collectives cost what they cost all members, on
their places in the machine, and what the others would bring to them is taken to be what it brings itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ..._errors import UsageError
from ..._ndsim import Group
from ..launch import explain
from ..refusals import Refused


@dataclasses.dataclass(frozen=True)
class Fold:
    """How a world is folded: all of its ranks, and how many of them run."""

    world: int
    running: int

    @property
    def is_folded(self) -> bool:
        return self.running < self.world

    def stand_in(self, rank: int) -> int:
        """The running rank that stands for this one."""
        return rank % self.running

    def members_that_run(self, members: Sequence[int]) -> list[int]:
        return [member for member in members if member < self.running]

    def group(self, members: Sequence[int]) -> Group:
        """The group of those that run, at the price of all."""
        run = self.members_that_run(members)
        group = Group.of(run)
        return group if len(run) == len(members) else group.standing_for(Group.of(list(members)))

    def sources(self, members: Sequence[int]) -> list[int]:
        """For each member, the place among those that run of the one that stands for it."""
        run = self.members_that_run(members)
        place = {member: index for index, member in enumerate(run)}
        return [place.get(self.stand_in(member), index % len(run)) for index, member in enumerate(members)]

    def running_member(self, members: Sequence[int], index: int) -> int:
        """The member, by its index, that stands for this one."""
        run = self.members_that_run(members)
        return list(members).index(run[self.sources(members)[index]])

    def unfolding(self, members: Sequence[int], finish: Callable[[Any], None]) -> Callable[[Any], None]:
        """What a collective makes of what all members bring, given what those that run bring."""
        sources = self.sources(members)
        return lambda parts: finish([parts[source] for source in sources])

    def require_running(self, rank: int, what: str) -> None:
        """Refuse a message with a rank that does not run."""
        if rank >= self.running:
            raise Refused(
                f"{explain.where()}: {what} rank {rank} cannot run here: ranks {self.running} to {self.world - 1} are folded "
                f"away; with --fold {min(self.world, rank + 1)} or more it runs"
            )


def fold_of(world: int, running: int | None) -> Fold:
    """The fold that --fold asks for; None: everybody runs."""
    if running is None:
        return Fold(world, world)
    if running > world or world % running:
        raise UsageError(f"--fold {running}: the {world} ranks are no multiple of it")
    return Fold(world, running)
