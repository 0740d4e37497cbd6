"""The steady step of a run: the mean of those between which it is measured, by what its time goes to, and its FLOPs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..._ndsim import Result, percent_text, time_text
from .. import rank as ranks
from ..launch.channel import Channel
from .budget import Budget

COMPUTING = ("products", "attention", "passes", "optimizer", "copies")
"""Of computing, as the price list counts it."""

PARTS = (*COMPUTING, "communication", "idle")
"""Of a step: what computing hides of communication is part of none, and idle is the GPU that waits for its host."""


@dataclasses.dataclass(frozen=True)
class SteadyStep:
    """A rank's, or the average over ranks."""

    seconds: float
    parts: dict[str, float]
    """Seconds by part, which add up to the step's."""
    flops: float
    """Of products and attention."""
    flops_again: float
    """Of these, what a backward pass computed once more."""
    at_peak: float
    """Seconds that they take at the peaks of their types."""
    again_at_peak: float

    @property
    def hfu(self) -> float:
        """The share of the peak that was reached."""
        return self.at_peak / self.seconds

    @property
    def mfu(self) -> float:
        """The same without what was computed once more."""
        return (self.at_peak - self.again_at_peak) / self.seconds

    @property
    def peak_flops(self) -> float | None:
        """FLOPs a second at the peak, of the types that were multiplied; None: nothing was."""
        return self.flops / self.at_peak if self.at_peak else None


def step_of_rank(told: dict[str, Any], laps: list[list[int]]) -> SteadyStep:
    count = told["count"]
    first, last = (laps[lap] for lap in told["laps"])
    seconds, computing, communicating, idle, in_collectives = (
        (after - before) / count / ranks.PICOSECONDS for before, after in zip(first, last)
    )
    (times_before, *before), (times_after, *after) = told["tallies"]
    kernels = [late - early for early, late in zip(times_before, times_after)]
    # Kernels are slower beside collectives, and some run on streams that nobody waits for: what counts is what the step
    # computed, in the proportions of its kernels.
    parts = {name: computing * each / sum(kernels) if sum(kernels) else 0.0 for name, each in zip(COMPUTING, kernels)}
    parts["communication"] = communicating + in_collectives
    parts["idle"] = idle - in_collectives
    flops, again, at_peak, again_at_peak = ((late - early) / count for early, late in zip(before, after))
    return SteadyStep(seconds, parts, flops, again, at_peak, again_at_peak)


def mean_of(steps: list[tuple[int, SteadyStep]]) -> SteadyStep:
    """Of steps, each with how often it counts."""
    total = sum(count for count, _ in steps)

    def mean(of: Callable[[SteadyStep], float]) -> float:
        return sum(count * of(step) for count, step in steps) / total

    return SteadyStep(
        seconds=mean(lambda step: step.seconds),
        parts={part: mean(lambda step, part=part: step.parts[part]) for part in PARTS},
        flops=mean(lambda step: step.flops),
        flops_again=mean(lambda step: step.flops_again),
        at_peak=mean(lambda step: step.at_peak),
        again_at_peak=mean(lambda step: step.again_at_peak),
    )


def steady_step_of(result: Result, words: Channel, budget: Budget) -> SteadyStep | None:
    """The average over all ranks; None: there are no two steps."""
    told: dict[int, Any] = dict(words.told("steady"))
    steps = [(each.stands_for, step_of_rank(told[each.rank], result.laps(each.rank))) for each in budget.ranks if each.rank in told]
    return mean_of(steps) if steps else None


NAMES = {
    "products": "matrix products",
    "attention": "attention",
    "passes": "norms, element by element",
    "optimizer": "optimizer",
    "copies": "copies",
    "communication": "communication",
    "idle": "idle, for the host",
}
LETTERS = {**dict.fromkeys(COMPUTING, "C"), "communication": "D", "idle": "I"}
BAR = 60


def bar(step: SteadyStep) -> str:
    """The shares of the step as letters."""
    letters = "".join(LETTERS[part] * round(BAR * seconds / step.seconds) for part, seconds in step.parts.items())
    return letters[:BAR].ljust(BAR, "I")


def lines_of(step: SteadyStep | None) -> list[str]:
    """The budget of the step, for people."""
    if step is None:
        return []
    lines = ["Time of a step, the average over all ranks; communication as far as no computation hides it", f"  [{bar(step)}]"]
    for part, seconds in step.parts.items():
        if seconds:
            lines.append(f"  {LETTERS[part]}  {NAMES[part]:<28}{time_text(seconds):>10}  {percent_text(seconds / step.seconds):>7}")
    return [*lines, ""]


def utilisation_text(step: SteadyStep | None) -> list[str]:
    if step is None or step.peak_flops is None:
        return []
    again = "" if step.mfu == step.hfu else f", HFU {percent_text(step.hfu)} with what is computed once more"
    rate = (step.flops - step.flops_again) / step.seconds / 1e12
    return [f"  MFU             {percent_text(step.mfu)}{again}: {rate:,.4g} TFLOP/s of {step.peak_flops / 1e12:,.4g} on each GPU"]


def keys_of(step: SteadyStep | None, world: int) -> dict[str, Any]:
    if step is None:
        names = ("step_breakdown", "flops_per_step", "model_flops_per_step", "mfu", "hfu", "peak_flops_per_second_per_gpu")
        return dict.fromkeys(names)
    return {
        "step_breakdown": step.parts,
        "flops_per_step": step.flops * world,
        "model_flops_per_step": (step.flops - step.flops_again) * world,
        "mfu": step.mfu,
        "hfu": step.hfu,
        "peak_flops_per_second_per_gpu": step.peak_flops,
    }
