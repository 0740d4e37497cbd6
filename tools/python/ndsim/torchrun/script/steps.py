"""The steps of a script: a step ends where an optimizer has stepped."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from .. import rank as ranks
from .. import from_torch


@contextlib.contextmanager
def during_step() -> Iterator[None]:
    """What runs in here is the optimizer's, which torch.compile leaves as it is."""
    rank = ranks.this_rank()
    if rank is None or rank.gpus is None:
        yield
        return
    gpus = rank.gpus
    before, gpus.compiled = gpus.compiled, False
    try:
        yield
    finally:
        gpus.compiled = before


def after_step(optimizer: Any) -> None:
    """Note when the device has been given all of a step."""
    rank = ranks.this_rank()
    if rank is None or rank.gpus is None:
        return
    # Keyed by the optimizer, not by its id: a later one may reuse the id.
    if optimizer not in rank.steps_of:
        rank.steps_of[optimizer] = []
        rank.steps.append(rank.steps_of[optimizer])
    rank.steps_of[optimizer].append(rank.gpus.mark())


def prepare(setting: ranks.Setting) -> None:
    from_torch.watch_optimizer_steps(during_step, after_step)


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


@contextlib.contextmanager
def install(rank: ranks.Rank) -> Iterator[None]:
    yield
    rank.tell("steps", ends_of_steps(rank))
