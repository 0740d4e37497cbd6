"""The steps of a script: a step ends where an optimizer has stepped, by itself or in a CUDA graph that was launched.

The simulator is told of each, and accounts for the time between them.
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
    """What the GPU has been given by then."""


@contextlib.contextmanager
def during_step() -> Iterator[None]:
    """What runs in here is the optimizer's, which torch.compile of a model leaves as it is."""
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
    """Note when the device has been given all of a step; one that is captured comes with each launch of its graph."""
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
        # The second step of an optimizer finds its states made.
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
    """Of the optimizer that stepped most often, and of the first of several."""
    return max(rank.steps, key=len, default=[])


def settled(steps: Sequence[Each]) -> Sequence[Each]:
    """Those between which a step is measured: without the one after the first, which sets things up."""
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
