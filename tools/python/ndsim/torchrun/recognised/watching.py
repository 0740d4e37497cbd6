"""A part of a rank: recognises the framework after the first step of an optimizer, while all its objects are alive.

Only the first rank looks, once, at no simulated time; during the second step it records the model's inputs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import weakref
from typing import TYPE_CHECKING, Any

from . import frameworks
from .seen import Seen, completed, watch
from .value import Layout, Recognised

if TYPE_CHECKING:
    from ..rank import Rank


@dataclasses.dataclass
class Watch:
    """The progress of watching in this process."""

    known: Recognised | None
    plain: Layout | None = None
    """The layout of plain PyTorch."""
    optimizer: weakref.ref[Any] | None = None
    """The optimizer that stepped first; its second step ends the watch."""
    seen: Seen = dataclasses.field(default_factory=Seen)
    watching: contextlib.AbstractContextManager[Any] | None = None

    def end(self) -> None:
        if self.watching is not None:
            self.watching.__exit__(None, None, None)
            self.watching = None


_of_this_process: list[Watch] = []


def is_first(rank: Rank) -> bool:
    return bool(rank.gpu.rank == rank.fold.running[0])


def begin(rank: Rank) -> Watch:
    found = frameworks.recognise(rank.world_size)
    watch_of = Watch(found.recognised, found.plain)
    if found.model is not None:
        watch_of.watching = watch(found.model, watch_of.seen)
    _of_this_process[:] = [watch_of]
    return watch_of


def after_step(rank: Rank, optimizer: Any) -> None:
    """Called when an optimizer has stepped."""
    if not is_first(rank):
        return
    if not _of_this_process:
        begin(rank).optimizer = weakref.ref(optimizer)
        return
    so_far = _of_this_process[0]
    if so_far.watching is not None and so_far.optimizer is not None and so_far.optimizer() is optimizer:
        so_far.end()


def install(rank: Rank) -> None:
    _of_this_process.clear()


def tell(rank: Rank) -> None:
    if not is_first(rank):
        return
    so_far = _of_this_process[0] if _of_this_process else begin(rank)
    # A step that has not ended was not observed completely.
    is_whole = so_far.watching is None
    so_far.end()
    if so_far.known is not None:
        known = completed(so_far.known, so_far.seen) if is_whole else so_far.known
        rank.tell("recognised", known.as_json())
    elif so_far.plain is not None:
        rank.tell("plain layout", dataclasses.asdict(so_far.plain))
