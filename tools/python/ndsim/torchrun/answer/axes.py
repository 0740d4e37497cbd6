"""Attributes communication to an axis of the layout, by its kind, its members, and whether they span nodes."""

from __future__ import annotations

from collections.abc import Iterable

from ..recognised.value import Layout

UNKNOWN = "communication"
"""Not attributable to one axis: several axes have groups of this size, or none has."""


def sizes_of(layout: Layout) -> dict[str, set[int]]:
    """Group sizes of each axis, by the categories of `ndsim train`."""
    dp, cp = layout.dp or 1, layout.cp or 1
    shards = set() if layout.shard is None else {layout.shard, dp * cp // layout.shard}
    return {
        "tensor": {layout.tp or 1},
        "context": {cp},
        "expert": {layout.ep or 1},
        "data": {dp, dp * cp} | shards,
        "pipeline": {2} if (layout.pp or 1) > 1 else set(),
    }


def may_be(axis: str, kind: str) -> bool:
    """Whether an axis uses such collectives: a message counts as a broadcast of two; experts use all-to-all or gathers."""
    if axis == "pipeline":
        return kind == "broadcast"
    return kind != "all_to_all" or axis in ("expert", "context")


def crosses(axis: str, layout: Layout, gpus_per_node: int) -> bool | None:
    """Whether the groups of an axis span nodes, with tensor parallelism innermost; None if unknown."""
    tensor = layout.tp or 1
    if axis == "tensor":
        return tensor > gpus_per_node
    if axis == "data":
        return tensor * (layout.cp or 1) * (layout.dp or 1) > gpus_per_node
    return None


def axis_of(kind: str, members: int, crosses_nodes: bool, layout: Layout, gpus_per_node: int) -> str:
    """A category of `ndsim train`, or UNKNOWN."""
    found = [axis for axis, sizes in sizes_of(layout).items() if members > 1 and members in sizes and may_be(axis, kind)]
    if len(found) > 1:
        found = [axis for axis in found if crosses(axis, layout, gpus_per_node) in (None, crosses_nodes)]
    return found[0] if len(found) == 1 else UNKNOWN


def by_axis(rows: Iterable[tuple[str, int, bool, float]], layout: Layout, gpus_per_node: int) -> dict[str, float]:
    """Seconds per axis, given collectives as kind, members, whether they cross nodes, and seconds."""
    seconds: dict[str, float] = {}
    for kind, members, crosses_nodes, taken in rows:
        axis = axis_of(kind, members, crosses_nodes, layout, gpus_per_node)
        seconds[axis] = seconds.get(axis, 0.0) + taken
    return seconds
