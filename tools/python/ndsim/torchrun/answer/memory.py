"""What the memory of the fullest rank holds, against what its GPU has."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..._ndsim import bytes_text, percent_text
from ..launch.channel import Channel
from .bars import bar
from .budget import Budget


@dataclasses.dataclass(frozen=True)
class Memory:
    """Bytes at the peak; what is held at the end of a step is None where there was no step."""

    rank: int
    capacity: int
    allocated: int
    reserved: int
    parameters: int | None = None
    gradients: int | None = None
    optimizer: int | None = None
    buffers: int | None = None
    other: int | None = None
    """What else tensors held at the end of a step: buckets of gradients, inputs, results."""

    @property
    def activations(self) -> int | None:
        """What else is allocated at the peak: activations, and what operators need for a while."""
        kinds = self.parameters, self.gradients, self.optimizer, self.buffers, self.other
        return None if None in kinds else self.allocated - sum(kind or 0 for kind in kinds)

    @property
    def cached(self) -> int:
        """What the caching allocator holds beyond."""
        return self.reserved - self.allocated


def memories_of(budget: Budget, words: Channel, capacity: int) -> dict[int, Memory]:
    """By rank."""
    held: dict[int, Any] = dict(words.told("held"))
    return {each.rank: Memory(each.rank, capacity, each.allocated, each.reserved, **(held.get(each.rank) or {})) for each in budget.ranks}


def fullest(memories: dict[int, Memory]) -> Memory:
    """That of the rank whose allocator holds most."""
    return max(memories.values(), key=lambda each: (each.reserved, each.allocated))


def rows_of(memory: Memory) -> list[tuple[str, str, int]]:
    """A letter, a name and bytes of each kind."""
    kinds = [
        ("P", "parameters", memory.parameters),
        ("G", "gradients", memory.gradients),
        ("O", "optimizer", memory.optimizer),
        ("B", "buffers", memory.buffers),
        ("K", "kept otherwise", memory.other),
        ("A", "activations and temporaries", memory.activations),
        ("c", "cached by the allocator", memory.cached),
    ]
    return [(letter, name, size) for letter, name, size in kinds if size]


def lines_of(memory: Memory) -> list[str]:
    """The section of the summary."""
    if memory.activations is None:
        return []
    rows = rows_of(memory)
    picture = bar([(letter, size) for letter, _, size in rows], memory.capacity, ".")
    lines = [f"Memory of rank {memory.rank}, the fullest, at its peak, of {bytes_text(memory.capacity)}", f"  [{picture}]"]
    for letter, name, size in rows:
        lines.append(f"  {letter}  {name:<28}{bytes_text(size):>10}  {percent_text(size / memory.capacity):>7}")
    return [*lines, ""]


def kinds_of(memory: Memory) -> dict[str, int | None]:
    """By what holds it; nothing of what a step's end would tell: there was none."""
    names = ("parameters", "gradients", "optimizer", "buffers", "other", "activations")
    return {name: getattr(memory, name) for name in names}


def keys_of(memory: Memory) -> dict[str, Any]:
    return {
        "capacity": memory.capacity,
        "allocated": memory.allocated,
        "reserved": memory.reserved,
        "fullest_rank": memory.rank,
        **kinds_of(memory),
    }
