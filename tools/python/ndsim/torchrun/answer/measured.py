"""The measured steady step of a run, in the categories of `ndsim train`."""

from __future__ import annotations

from ..advice.measured import Measured
from ..rank import Machine
from ..recognised.value import Layout
from .axes import by_axis
from .budget import Budget
from .steady import COMPUTING, SteadyStep

GROUPS = {
    "compute": ("compute", "recompute"),
    "pipeline": ("pipeline", "bubble"),
    "idle": ("overhead",),
}
"""Parts of a run that `ndsim train` splits or names differently: a stage waiting for another one waits for a message."""


def parts_of_step(step: SteadyStep | None, layout: Layout, gpus_per_node: int) -> dict[str, float]:
    """The mean step's budget, with communication split by axes of the layout."""
    if step is None:
        return {}
    rows = [(each.kind, each.members, each.crosses_nodes, seconds) for each, seconds in step.communication.items()]
    return {
        "compute": sum(step.parts[part] for part in COMPUTING if part != "optimizer"),
        "optimizer": step.parts["optimizer"],
        **by_axis(rows, layout, gpus_per_node),
        "idle": step.parts["idle"],
    }


def measured_of(budget: Budget, step: SteadyStep | None, machine: Machine, layout: Layout) -> Measured:
    return Measured(
        step_seconds=budget.step_seconds,
        parts=parts_of_step(step, layout, machine.gpus_per_node),
        allocated=budget.allocated,
        reserved=budget.reserved,
        capacity=machine.memory_bytes,
        ranks=budget.world,
        gpus_per_node=machine.gpus_per_node,
    )
