"""The time budget of a run's ranks, and the memory they used."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..._ndsim import RankTotals, Result, percent_text, time_text
from ..launch.channel import Channel
from ..script import steps
from .bars import bar


@dataclasses.dataclass(frozen=True)
class RankBudget:
    """The seconds of a rank, which add up to the run's, and its peak memory in bytes."""

    rank: int
    pid: int
    stands_for: int
    """Number of ranks it represents, including itself."""
    computing: float
    communicating: float
    """Exposed communication, including the wait for ranks that arrive later."""
    idle: float
    """The GPU has no work: its host launches too slowly, or is busy with something else."""
    allocated: int
    reserved: int
    steps: int
    step_seconds: float | None


@dataclasses.dataclass(frozen=True)
class Budget:
    """The budget of a whole run."""

    ranks: list[RankBudget]
    """The ranks that ran."""
    world: int
    """The world size that the script saw."""

    def mean(self, of: Callable[[RankBudget], float]) -> float:
        return sum(each.stands_for * of(each) for each in self.ranks) / self.world

    @property
    def step_seconds(self) -> float | None:
        """Step time of the first rank that has steps; None if there are too few.

        Ranks that train together step together, and the first rank also runs in a folded run.
        """
        return next((each.step_seconds for each in self.ranks if each.step_seconds is not None), None)

    @property
    def steps(self) -> int:
        return max(each.steps for each in self.ranks)

    @property
    def allocated(self) -> int:
        return max(each.allocated for each in self.ranks)

    @property
    def reserved(self) -> int:
        return max(each.reserved for each in self.ranks)


def rank_budget(rank: int, pid: int, stands_for: int, totals: RankTotals, memory: list[int], ends: list[int]) -> RankBudget:
    return RankBudget(
        rank=rank,
        pid=pid,
        stands_for=stands_for,
        computing=totals.compute,
        communicating=totals.communication + totals.idle_in_collectives,
        idle=totals.idle - totals.idle_in_collectives,
        allocated=memory[0],
        reserved=memory[1],
        steps=len(ends),
        step_seconds=steps.steady_seconds(ends),
    )


def budget_of(result: Result, words: Channel) -> Budget:
    memory: dict[int, Any] = dict(words.told("memory"))
    ends: dict[int, Any] = dict(words.told("steps"))
    stands_for: dict[int, int] = dict(words.told("stands for"))
    budgets = [
        rank_budget(rank, pid, stands_for.get(rank, 1), totals, memory.get(rank, [totals.peak_bytes] * 2), ends.get(rank, []))
        for rank, (pid, totals) in enumerate(zip(result.pids, result.ranks))
        if pid
    ]
    return Budget(budgets, len(result.pids))


def steps_text(count: int) -> str:
    """Describes which steps, out of `count`, are measured."""
    measured = len(steps.settled(range(count))) - 1
    return f"the mean of the last {measured} of {count} steps of the optimizer" if measured > 1 else f"the last of {count} steps of the optimizer"


def parts_of(budget: Budget) -> dict[str, float]:
    """Seconds of the run, by part."""
    return {
        "compute": budget.mean(lambda each: each.computing),
        "communication": budget.mean(lambda each: each.communicating),
        "idle": budget.mean(lambda each: each.idle),
    }


TITLE, OVER = "Time of the run", "the average over all ranks; communication as far as no computation hides it"
OF_RANKS = "Each rank, over the whole run"
NAMES = {"compute": ("C", "computing"), "communication": ("D", "communication"), "idle": ("I", "idle, for the host")}


def rows_of(parts: dict[str, float], seconds: float) -> list[tuple[str, str, str, float, float]]:
    """Key, letter, name, seconds and share of the run for each part."""
    return [(part, *NAMES[part], each, each / seconds) for part, each in parts.items()]


def lines_of(budget: Budget, seconds: float) -> list[str]:
    """The time of a run with fewer than two steps."""
    rows = rows_of(parts_of(budget), seconds)
    lines = [f"{TITLE}, {OVER}", f"  [{bar([(letter, part) for _, letter, _, part, _ in rows], seconds, 'I')}]"]
    lines += [f"  {letter}  {name:<21}{time_text(part):>10}  {percent_text(share):>7}" for _, letter, name, part, share in rows]
    return [*lines, f"     {'run':<21}{time_text(seconds):>10}  {percent_text(1.0):>7}", ""]
