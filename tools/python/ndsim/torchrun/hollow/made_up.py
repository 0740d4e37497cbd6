"""Numbers that a hollow run made up and that may have steered its script: reported at the end, with the lines of the script.

These are integers, booleans and plain floats that the host reads although they derive from numbers that were never computed, and
the routing of tokens, as `--routing` declares it.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

from ...torch.making import loader
from ..launch import explain
from .routing import Routing

if TYPE_CHECKING:
    from ..rank import Rank


class MadeUp:
    """The made-up numbers of a rank, by line of its script."""

    def __init__(self, routing: Routing) -> None:
        self.routing = routing
        self.lines: collections.Counter[tuple[str, str]] = collections.Counter()

    def number(self, what: str, value: Any) -> None:
        self.lines[explain.where(), f"{what}: {value}"] += 1

    def choice(self, picks: int, count: int) -> None:
        how = self.routing.text if self.routing.is_declared else f"{self.routing.text}, as --routing declares nothing"
        self.lines[explain.where(), f"topk of {count}, {picks} picked: {how}"] += 1

    def rows(self) -> list[dict[str, Any]]:
        return [{"line": line, "what": what, "count": count} for (line, what), count in self.lines.items()]


_of_this_process: list[MadeUp] = []


def of_this_process() -> MadeUp | None:
    return _of_this_process[0] if _of_this_process else None


def reported(what: str, value: Any) -> Any:
    """Record that the script got this number, which may steer it."""
    made_up_here = of_this_process()
    if made_up_here is not None:
        made_up_here.number(what, value)
    return value


def install(rank: Rank) -> None:
    if not rank.options.hollow:
        return
    declared = rank.options.routing
    made_up = MadeUp(declared)
    _of_this_process[:] = [made_up]
    loader.loaded_slot().declare_routing(declared.is_drawn, declared.seed + rank.gpu.rank, declared.shares, made_up.choice)


def tell(rank: Rank) -> None:
    made_up = of_this_process()
    if made_up is not None:
        rank.tell("made up", made_up.rows())
