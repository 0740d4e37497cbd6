"""The memory of the fullest rank by kind, compared with its GPU's capacity."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..._ndsim import bytes_text, percent_text
from ..launch.channel import Channel
from .bars import bar
from .budget import Budget


@dataclasses.dataclass(frozen=True)
class Memory:
    """Bytes at the peak; the kinds held at the end of a step are None if there was no step."""

    rank: int
    capacity: int
    allocated: int
    reserved: int
    parameters: int | None = None
    gradients: int | None = None
    optimizer: int | None = None
    buffers: int | None = None
    other: int | None = None
    """Other tensors held at the end of a step: gradient buckets, inputs, results."""

    @property
    def activations(self) -> int | None:
        """Everything else that is allocated at the peak: activations, and temporaries of operators."""
        kinds = self.parameters, self.gradients, self.optimizer, self.buffers, self.other
        return None if None in kinds else self.allocated - sum(kind or 0 for kind in kinds)

    @property
    def cached(self) -> int:
        """Bytes that the caching allocator holds beyond the allocated ones."""
        return self.reserved - self.allocated


def memories_of(budget: Budget, words: Channel, capacity: int) -> dict[int, Memory]:
    """By rank."""
    held: dict[int, Any] = dict(words.told("held"))
    return {each.rank: Memory(each.rank, capacity, each.allocated, each.reserved, **(held.get(each.rank) or {})) for each in budget.ranks}


def fullest(memories: dict[int, Memory]) -> Memory:
    """Memory of the rank whose allocator holds most."""
    return max(memories.values(), key=lambda each: (each.reserved, each.allocated))


FULLEST = "on the fullest rank"
KINDS = {
    "parameters": ("P", "parameters"),
    "gradients": ("G", "gradients"),
    "optimizer": ("O", "optimizer"),
    "buffers": ("B", "buffers"),
    "other": ("K", "kept otherwise"),
    "activations": ("A", "activations and temporaries"),
    "cached": ("c", "cached by the allocator"),
}
"""Letter and name of each kind."""


def rows_of(keys: dict[str, Any]) -> list[tuple[str, str, str, int, float]]:
    """Key, letter, name, bytes and share of the GPU's memory of each kind that occurs."""
    rows = [(key, *words, keys[key]) for key, words in KINDS.items()]
    return [(key, letter, name, size, size / keys["capacity"]) for key, letter, name, size in rows if size]


def title_of(keys: dict[str, Any]) -> str:
    return f"Memory of rank {keys['fullest_rank']}, the fullest, at its peak, of {bytes_text(keys['capacity'])}"


def lines_of(memory: Memory) -> list[str]:
    """The section of the summary."""
    if memory.activations is None:
        return []
    keys = keys_of(memory)
    rows = rows_of(keys)
    lines = [title_of(keys), f"  [{bar([(letter, size) for _, letter, _, size, _ in rows], memory.capacity, '.')}]"]
    for _, letter, name, size, share in rows:
        lines.append(f"  {letter}  {name:<28}{bytes_text(size):>10}  {percent_text(share):>7}")
    return [*lines, ""]


def kinds_of(memory: Memory) -> dict[str, int | None]:
    """Bytes by kind; None for the kinds that only the end of a step would show, if there was none."""
    names = ("parameters", "gradients", "optimizer", "buffers", "other", "activations")
    return {name: getattr(memory, name) for name in names}


def keys_of(memory: Memory) -> dict[str, Any]:
    return {
        "capacity": memory.capacity,
        "allocated": memory.allocated,
        "reserved": memory.reserved,
        "fullest_rank": memory.rank,
        **kinds_of(memory),
        "cached": memory.cached,
    }
