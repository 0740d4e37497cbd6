"""The steady step of a run: the mean of the measured steps, with its time by part and its FLOPs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..._ndsim import Result, percent_text, time_text
from .. import rank as ranks
from ..launch.channel import Channel
from ..script.steps import settled
from . import budget as of_run
from .bars import bar
from .budget import Budget

COMPUTING = ("products", "attention", "passes", "optimizer", "copies")
"""Kinds of computing, as in the price list."""

PARTS = (*COMPUTING, "communication", "idle")
"""Parts of a step. Hidden communication belongs to none; idle is the time that the GPU waits for its host."""


@dataclasses.dataclass(frozen=True, order=True)
class Communication:
    """Collectives of one kind and group size, including folded ranks. A message counts as a broadcast of two."""

    kind: str
    members: int
    crosses_nodes: bool

    @property
    def name(self) -> str:
        among = "messages" if (self.kind, self.members) == ("broadcast", 2) else f"{self.kind} of {self.members:,}"
        return f"{among}, across nodes" if self.crosses_nodes else among


@dataclasses.dataclass(frozen=True)
class SteadyStep:
    """The step of one rank, or the average over ranks."""

    seconds: float
    parts: dict[str, float]
    """Seconds by part; they add up to the step."""
    communication: dict[Communication, float]
    """Seconds of the communication part, by kind."""
    flops: float
    """FLOPs of matmuls and attention."""
    flops_again: float
    """The part of these outside the model: recomputation in the backward pass, and an optimizer's matmuls."""
    at_peak: float
    """Their seconds at the peak rate of their types."""
    again_at_peak: float

    @property
    def hfu(self) -> float:
        """Hardware FLOPs utilisation: the achieved share of the peak."""
        return self.at_peak / self.seconds

    @property
    def mfu(self) -> float:
        """Model FLOPs utilisation: HFU without recomputation."""
        return (self.at_peak - self.again_at_peak) / self.seconds

    @property
    def model_flops_per_second(self) -> float:
        return (self.flops - self.flops_again) / self.seconds

    @property
    def peak_flops(self) -> float | None:
        """Peak FLOP/s of the types in use; None if there were no matmuls."""
        return self.flops / self.at_peak if self.at_peak else None


def step_of_rank(told: dict[str, Any], steady: dict[str, Any]) -> SteadyStep:
    """Combines the rank's numbers with the simulator's; the parts of a step add up to the picosecond."""
    count = steady["steps"]

    def seconds(picoseconds: int) -> float:
        return picoseconds / count / ranks.PICOSECONDS

    computing = {**dict.fromkeys(COMPUTING, 0), **dict(steady["computing"])}
    communicating = {Communication(*kind): time for *kind, time in steady["communicating"]}
    communication = sum(communicating.values())
    idle = steady["picoseconds"] - sum(computing.values()) - communication
    before, after = told["tallies"]
    flops, again, at_peak, again_at_peak = ((late - early) / count for early, late in zip(before, after))
    return SteadyStep(
        seconds=seconds(steady["picoseconds"]),
        parts={part: seconds(time) for part, time in {**computing, "communication": communication, "idle": idle}.items()},
        communication={kind: seconds(time) for kind, time in communicating.items()},
        flops=flops,
        flops_again=again,
        at_peak=at_peak,
        again_at_peak=again_at_peak,
    )


def mean_of(steps: list[tuple[int, SteadyStep]]) -> SteadyStep:
    """The mean of steps weighted by their counts."""
    total = sum(count for count, _ in steps)
    kinds = sorted({kind for _, step in steps for kind in step.communication})

    def mean(of: Callable[[SteadyStep], float]) -> float:
        return sum(count * of(step) for count, step in steps) / total

    return SteadyStep(
        seconds=mean(lambda step: step.seconds),
        parts={part: mean(lambda step, part=part: step.parts[part]) for part in PARTS},
        communication={kind: mean(lambda step, kind=kind: step.communication.get(kind, 0.0)) for kind in kinds},
        flops=mean(lambda step: step.flops),
        flops_again=mean(lambda step: step.flops_again),
        at_peak=mean(lambda step: step.at_peak),
        again_at_peak=mean(lambda step: step.again_at_peak),
    )


def steady_steps_of(result: Result, words: Channel) -> dict[int, SteadyStep]:
    """By rank, for ranks with at least two steps between which time passed."""
    told: dict[int, Any] = dict(words.told("steady"))
    steady = {rank: result.steady_steps(rank) for rank in told}
    return {rank: step_of_rank(told[rank], each) for rank, each in steady.items() if each is not None and each["picoseconds"]}


def spans_of(words: Channel, ran: list[int]) -> list[tuple[int, str, int, int]]:
    """The measured steps of each rank that ran: the rank's index among them, the step's number from 1, begin and end."""
    ends: dict[int, Any] = dict(words.told("steps"))
    found = []
    for place, rank in enumerate(ran):
        measured = list(settled(list(enumerate(ends.get(rank, []), 1))))
        found += [(place, f"step {number}", begin, end) for (_, begin), (number, end) in zip(measured, measured[1:])]
    return found


def steady_step_of(steps: dict[int, SteadyStep], budget: Budget) -> SteadyStep | None:
    """The average over all ranks; None for fewer than two steps."""
    found = [(each.stands_for, steps[each.rank]) for each in budget.ranks if each.rank in steps]
    return mean_of(found) if found else None


TITLE = "Time of a step"
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
MOST_KINDS = 5


def rows_of(parts: dict[str, float]) -> list[tuple[str, str, str, float, float]]:
    """Key, letter, name, seconds and share of the step for each part that takes time."""
    step = sum(parts.values())
    return [(part, LETTERS[part], NAMES[part], seconds, seconds / step) for part, seconds in parts.items() if seconds]


def lines_of(step: SteadyStep | None) -> list[str]:
    """The budget of the step as lines."""
    if step is None:
        return []
    rows = rows_of(step.parts)
    picture = bar([(letter, seconds) for _, letter, _, seconds, _ in rows], step.seconds, "I")
    lines = [f"{TITLE}, {of_run.OVER}", f"  [{picture}]"]
    for part, letter, name, seconds, share in rows:
        lines.append(f"  {letter}  {name:<28}{time_text(seconds):>10}  {percent_text(share):>7}")
        if part == "communication" and len(step.communication) > 1:
            lines += communication_lines(step)
    return [*lines, ""]


def communication_lines(step: SteadyStep) -> list[str]:
    """The most expensive kinds of communication."""
    rows = sorted(step.communication.items(), key=lambda row: -row[1])[:MOST_KINDS]
    return [f"       {kind.name:<36}{time_text(seconds):>10}  {percent_text(seconds / step.seconds):>7}" for kind, seconds in rows]


ONCE_MORE = "including recomputation"


def rate_text(rate: float, peak: float) -> str:
    """Achieved model FLOP/s next to the peak."""
    return f"{rate / 1e12:,.4g} TFLOP/s of {peak / 1e12:,.4g} on each GPU"


def utilisation_text(step: SteadyStep | None) -> list[str]:
    if step is None or step.peak_flops is None:
        return []
    again = "" if step.mfu == step.hfu else f", HFU {percent_text(step.hfu)} {ONCE_MORE}"
    rate = rate_text(step.model_flops_per_second, step.peak_flops)
    return [f"  MFU             {percent_text(step.mfu)}{again}: {rate}"]


def communication_of(step: SteadyStep) -> list[dict[str, Any]]:
    return [{**dataclasses.asdict(kind), "seconds": seconds} for kind, seconds in step.communication.items()]


KEYS = (
    "step_breakdown",
    "step_communication",
    "flops_per_step",
    "model_flops_per_step",
    "mfu",
    "hfu",
    "model_flops_per_second_per_gpu",
    "peak_flops_per_second_per_gpu",
)


def keys_of(step: SteadyStep | None, world: int) -> dict[str, Any]:
    if step is None:
        return dict.fromkeys(KEYS)
    return {
        "step_breakdown": step.parts,
        "step_communication": communication_of(step),
        "flops_per_step": step.flops * world,
        "model_flops_per_step": (step.flops - step.flops_again) * world,
        "mfu": step.mfu,
        "hfu": step.hfu,
        "model_flops_per_second_per_gpu": step.model_flops_per_second,
        "peak_flops_per_second_per_gpu": step.peak_flops,
    }
