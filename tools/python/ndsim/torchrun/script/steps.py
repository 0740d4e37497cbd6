"""The steps of a script: a step ends when an optimizer has stepped, in eager code or in a launched CUDA graph.

Each one is reported to the simulator, which accounts for the time between them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from .. import rank as ranks
from .. import from_torch
from ..recognised import watching
from . import held
from .groups import begins_step


Each = TypeVar("Each")


@dataclasses.dataclass(frozen=True)
class Step:
    """The end of one step."""

    mark: int
    tally: Any
    """The GPU's work up to then."""


@contextlib.contextmanager
def during_step() -> Iterator[None]:
    """Operators in here belong to the optimizer, which compiling a model does not fuse."""
    rank = ranks.this_rank()
    if rank is None or rank.gpus is None:
        yield
        return
    gpus = rank.gpus
    if rank.options.compiled:
        gpus.compiled = False
    gpus.is_in_optimizer = True
    try:
        yield
    finally:
        gpus.is_in_optimizer = False
        if rank.options.compiled:
            gpus.compiled = True


def after_step(optimizer: Any) -> None:
    """Note when the device has received all work of a step; a captured step counts at each launch of its graph."""
    rank = ranks.this_rank()
    if rank is None or rank.gpus is None or not begins_step(optimizer):
        return
    graph = rank.graph() if rank.graph is not None else None
    if graph is not None and importlib.import_module("torch").cuda.is_current_stream_capturing():
        rank.steps_in_graphs.setdefault(graph, []).append(optimizer)
    else:
        note(rank, optimizer)


def note(rank: ranks.Rank, optimizer: Any) -> None:
    # Keyed by the optimizer, not by its id: a later one may reuse the id.
    if optimizer not in rank.steps_of:
        rank.steps_of[optimizer] = []
        rank.steps.append(rank.steps_of[optimizer])
        rank.numbers[optimizer] = len(rank.steps) - 1
    gpus = rank.gpus
    assert gpus is not None
    rank.steps_of[optimizer].append(Step(gpus.end_step(rank.numbers[optimizer]), gpus.tally()))
    rank.steps_ended += 1
    if rank.steps_ended <= 2:
        # By its second step, an optimizer has created its states.
        rank.held = held.by_kind()
    watching.after_step(rank, optimizer)


def captures(graph: Any) -> None:
    rank = ranks.this_rank()
    if rank is not None:
        rank.graph = weakref.ref(graph)
        rank.steps_in_graphs.pop(graph, None)


def replayed(graph: Any) -> None:
    rank = ranks.this_rank()
    if rank is not None and rank.gpus is not None:
        for optimizer in rank.steps_in_graphs.get(graph, ()):
            note(rank, optimizer)


def prepare(setting: ranks.Setting) -> None:
    from_torch.watch_optimizer_steps(during_step, after_step)
    from_torch.watch_graphs(captures, replayed)


def told_steps(rank: ranks.Rank) -> list[Step]:
    """The steps of the optimizer that stepped most often; the first one in a tie."""
    return max(rank.steps, key=len, default=[])


def settled(steps: Sequence[Each]) -> Sequence[Each]:
    """The ends between which a step is measured: drops the step after the first, which includes one-time setup."""
    return steps[1:] if len(steps) > 2 else steps


def steady_seconds(ends: Sequence[int]) -> float | None:
    """The mean time from step to step."""
    measured = settled(ends)
    if len(measured) < 2:
        return None
    return (measured[-1] - measured[0]) / (len(measured) - 1) / ranks.PICOSECONDS


def tell(rank: ranks.Rank) -> None:
    assert rank.gpus is not None
    steps = told_steps(rank)
    rank.tell("steps", [rank.gpus.time_of(step.mark) for step in steps])
    measured = settled(steps)
    if len(measured) > 1:
        ends = measured[0], measured[-1]
        rank.tell("steady", {"count": len(measured) - 1, "tallies": [end.tally for end in ends]})
    rank.tell("held", rank.held)
