"""The steps of a script: a step ends where an optimizer has stepped, by itself or in a CUDA graph that was launched."""

from __future__ import annotations

import contextlib
import importlib
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from .. import rank as ranks
from .. import from_torch


@contextlib.contextmanager
def during_step() -> Iterator[None]:
    """What runs in here is the optimizer's, which torch.compile of a model leaves as it is."""
    rank = ranks.this_rank()
    if rank is None or rank.gpus is None or not rank.options.compiled:
        yield
        return
    gpus = rank.gpus
    gpus.compiled = False
    try:
        yield
    finally:
        gpus.compiled = True


def after_step(optimizer: Any) -> None:
    """Note when the device has been given all of a step; one that is captured comes with each launch of its graph."""
    rank = ranks.this_rank()
    if rank is None or rank.gpus is None:
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
    rank.steps_of[optimizer].append(rank.gpus.mark())


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


def ends_of_steps(rank: ranks.Rank) -> list[int]:
    """Of the optimizer that stepped most often, and of the first of several."""
    ends = max(rank.steps, key=len, default=[])
    return [rank.gpus.time_of(end) for end in ends] if rank.gpus is not None else []


def steady_seconds(ends: Sequence[int]) -> float | None:
    """The mean time from step to step, without the one after the first, which sets things up."""
    settled = ends[1:] if len(ends) > 2 else ends
    if len(settled) < 2:
        return None
    return (settled[-1] - settled[0]) / (len(settled) - 1) / ranks.PICOSECONDS


def tell(rank: ranks.Rank) -> None:
    rank.tell("steps", ends_of_steps(rank))
