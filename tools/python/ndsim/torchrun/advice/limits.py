"""The limits of a step, from its numbers, and the changes worth trying for each."""

from __future__ import annotations

import dataclasses
import enum

from ..recognised.value import Layout, Recognised
from .measured import Measured
from .options import Change, Words, option_of

LEAST_SHARE = 0.1
"""Minimum share of the step: anything smaller is not worth a change."""
NEARLY_FULL, MOSTLY_FREE = 0.92, 0.6
"""Shares of the GPU's memory in use."""
MOST = 6
"""Maximum pieces of advice."""


class Reason(enum.Enum):
    """A limit of the step, in the summary's words."""

    HOST = "the GPU waits for its host"
    DATA = "exposed data-parallel communication"
    TENSOR = "exposed tensor-parallel communication"
    COMMUNICATION = "exposed communication"
    BUBBLE = "the pipeline's bubble"
    FULL = "memory is nearly full"
    FREE = "memory is mostly free"


CHANGES: dict[Reason, tuple[Change, ...]] = {
    Reason.HOST: (Change.CUDA_GRAPHS, Change.COMPILE, Change.LARGER_MICRO_BATCH),
    Reason.DATA: (
        Change.OVERLAP_GRADIENTS,
        Change.OVERLAP_PARAMETERS,
        Change.LARGER_BATCH,
        Change.KEEP_PARAMETERS,
        Change.SPREAD_IN_NODE,
    ),
    Reason.TENSOR: (Change.SEQUENCE_PARALLEL, Change.OVERLAP_TENSOR, Change.LOWER_TENSOR),
    Reason.BUBBLE: (Change.LARGER_BATCH, Change.INTERLEAVE, Change.SMALLER_MICRO_BATCH),
    Reason.FULL: (Change.SPREAD_MORE, Change.RECOMPUTE, Change.OFFLOAD, Change.SMALLER_MICRO_BATCH),
    Reason.FREE: (Change.LESS_RECOMPUTE, Change.LARGER_MICRO_BATCH),
}


@dataclasses.dataclass(frozen=True)
class Advice:
    """One change."""

    reason: Reason
    share: float
    """Share of the step, or of the memory."""
    change: Change
    option: str


def communication(layout: Layout) -> Reason:
    """The axis to blame if a run does not tell kinds of communication apart: the only axis, if there is only one."""
    tensor, data = (layout.tp or 1) > 1, (layout.dp or 1) > 1
    if tensor != data and layout.pp == layout.cp == layout.ep == 1:
        return Reason.TENSOR if tensor else Reason.DATA
    return Reason.COMMUNICATION


def bubble_of(layout: Layout) -> float:
    """The bubble's share of a step for a pipeline of this layout; 0 if unknown."""
    if None in (layout.pp, layout.dp, layout.micro_batch, layout.global_batch):
        return 0.0
    rounds = layout.global_batch / (layout.dp * layout.micro_batch) * (layout.interleave or 1)  # type: ignore[operator]
    return (layout.pp - 1) / (rounds + layout.pp - 1)  # type: ignore[operator]


def reasons_of(measured: Measured, layout: Layout) -> list[tuple[Reason, float]]:
    """Everything that takes a large enough share of the step, in descending order, then the state of the memory. Empty without a
    measured step."""
    if measured.step_seconds is None:
        return []
    waiting = measured.share("pipeline", "communication")
    # A stage that waits for another one waits for a message.
    bubble = min(bubble_of(layout), waiting)
    of_step = [
        (Reason.HOST, measured.share("idle", "overhead")),
        (Reason.DATA, measured.share("data")),
        (Reason.TENSOR, measured.share("tensor")),
        (Reason.BUBBLE, bubble),
        (communication(layout), waiting + measured.share("context", "expert") - bubble),
    ]
    found = sorted((each for each in of_step if each[1] >= LEAST_SHARE), key=lambda each: -each[1])
    held = measured.reserved / measured.capacity
    if held >= NEARLY_FULL:
        found.append((Reason.FULL, held))
    elif 0 < held <= MOSTLY_FREE:
        found.append((Reason.FREE, held))
    return found


def changes_for(reason: Reason, layout: Layout) -> tuple[Change, ...]:
    """The changes in the order in which to try them."""
    if reason is not Reason.COMMUNICATION:
        return CHANGES[reason]
    both = (*CHANGES[Reason.TENSOR], *CHANGES[Reason.DATA]) if (layout.tp or 1) > 1 else CHANGES[Reason.DATA]
    return tuple(dict.fromkeys(both))


def advice_of(
    measured: Measured, layout: Layout, recognised: Recognised | None
) -> tuple[list[tuple[Reason, float]], list[Advice]]:
    """The limits, and changes to try: nothing that is on already, nothing twice, and not the opposite of a better change."""
    words = Words(recognised, layout, measured.ranks, measured.gpus_per_node)
    reasons = reasons_of(measured, layout)
    is_full = any(reason is Reason.FULL for reason, _ in reasons)
    found: list[Advice] = []
    for reason, share in reasons:
        for change in changes_for(reason, layout):
            if {change, change.opposite} & {each.change for each in found} or (is_full and change.needs_memory):
                continue
            option = option_of(change, words)
            if option is not None:
                found.append(Advice(reason, share, change, option))
    return reasons, found[:MOST]
