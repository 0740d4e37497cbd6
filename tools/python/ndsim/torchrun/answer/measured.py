"""The steady step of a run as one small value, which prediction and advice are held against."""

from __future__ import annotations

import dataclasses

from ..rank import Machine
from .budget import Budget
from .steady import COMPUTING, SteadyStep

GROUPS = {
    "compute": ("compute", "recompute", "optimizer"),
    "communication": ("tensor", "context", "expert", "pipeline", "data", "bubble", "straggler"),
    "idle": ("overhead",),
}
"""Parts that a run tells apart, as the categories of `ndsim train`: who waits for another stage waits for a message."""


@dataclasses.dataclass(frozen=True)
class Measured:
    """A step of a run, and the memory of its fullest rank."""

    step_seconds: float | None
    parts: dict[str, float]
    """Seconds of a step by part, the average over all ranks; empty: they are not known."""
    allocated: int
    reserved: int
    capacity: int
    ranks: int
    gpus_per_node: int

    def share(self, *parts: str) -> float:
        """Of the step, that these parts take."""
        return sum(self.parts.get(part, 0.0) for part in parts) / self.step_seconds if self.step_seconds else 0.0


def parts_of_step(step: SteadyStep | None) -> dict[str, float]:
    if step is None:
        return {}
    computing = sum(step.parts[part] for part in COMPUTING)
    return {"compute": computing, "communication": step.parts["communication"], "idle": step.parts["idle"]}


def measured_of(budget: Budget, step: SteadyStep | None, machine: Machine) -> Measured:
    return Measured(
        step_seconds=budget.step_seconds,
        parts=parts_of_step(step),
        allocated=budget.allocated,
        reserved=budget.reserved,
        capacity=machine.memory_bytes,
        ranks=budget.world,
        gpus_per_node=machine.gpus_per_node,
    )
