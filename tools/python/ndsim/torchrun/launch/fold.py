"""Folded runs: few ranks run in the place of many that do the same.

Ranks 0 … K-1 of the world run. Rank i stands for i + K, i + 2K, …; its collectives cost what they cost all members, on
their places in the machine, and what the others would bring to them is taken to be what it brings itself: the simulated
GPUs see to that.
"""

from __future__ import annotations

import dataclasses

from ..._errors import UsageError


@dataclasses.dataclass(frozen=True)
class Fold:
    """How a world is folded: all of its ranks, and how many of them run."""

    world: int
    running: int

    @property
    def is_folded(self) -> bool:
        return self.running < self.world


def fold_of(world: int, running: int | None) -> Fold:
    """The fold that --fold asks for; None: everybody runs."""
    if running is None:
        return Fold(world, world)
    if running > world or world % running:
        raise UsageError(f"--fold {running}: the {world} ranks are no multiple of it")
    return Fold(world, running)
