"""Chains of element-wise operators and reductions, each of which torch.compile makes one kernel of.

A kernel reads what enters its chain once, and writes what leaves it once. An operator joins the chains that have made or read
one of its inputs, and so makes one chain of several; a product, or whatever else stays alone, ends the chains that it reads
from.

What leaves a chain is what no operator within it has taken. What one has taken, and is needed again later, is made again
from what the chain had read, as torch.compile does in the backward pass, where that is one tensor of its size or smaller;
otherwise it is written after all, and charged when that becomes known. So is what is written in place.
"""

from __future__ import annotations

from typing import Any

import torch

from .calls import Call
from .kinds import Kind
from .storages import Storages

_CHEAP = 1.25  # of a tensor's bytes: what is read instead of it to make it again
_ROOTS = 8  # tensors that something is made again of
_OPEN = 64  # chains that nobody has read from yet
_NAMED = 3  # operators in a chain's name

Place = tuple[int, int, int]
"""Of a tensor: its storage, where it begins there, and how many elements it has."""


class Chain:
    """One kernel to be. What it makes is known by its storage, so that views of it are the same."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.read: dict[Place, int] = {}
        self.made: dict[int, int] = {}
        self.left: dict[int, int] = {}  # made, and not taken within the chain
        self.written: dict[int, int] = {}  # whoever takes it
        self.late = 0  # for chains before it, whose result turned out to be needed

    def label(self) -> str:
        names = list(self.names)
        return "fused " + "+".join(names[:_NAMED]) + ("+…" if len(names) > _NAMED else "")

    def bytes(self) -> int:
        return sum(self.read.values()) + sum(self.left.values()) + sum(self.written.values()) + self.late

    def take_over(self, other: Chain) -> None:
        self.names.update(other.names)
        for mine, others in (
            (self.read, other.read),
            (self.made, other.made),
            (self.left, other.left),
            (self.written, other.written),
        ):
            mine.update(others)  # type: ignore[arg-type]
        self.late += other.late


class Chains:
    """Those that are open, and what became of what ended ones made."""

    def __init__(self) -> None:
        self._storages = Storages()
        self._open: list[Chain] = []
        self._made_by: dict[int, Chain] = {}  # of open chains, by storage
        self._read_by: dict[Place, Chain] = {}
        self._roots: dict[int, dict[Place, int]] = {}  # of what is not in memory: what it can be made of

    def add(self, kind: Kind, call: Call) -> list[Chain]:
        """Another operator of a chain. Returns chains that end with it."""
        given = [] if kind is Kind.FILL else call.inputs()
        inputs = [(self._place(tensor), call.bytes_of([tensor])) for tensor in given]
        chain = self._joined([place for place, _ in inputs])
        chain.names[call.name] = None
        roots: dict[Place, int] = {}
        for place, count in inputs:
            if self._made_by.get(place[0]) is chain:
                chain.left.pop(place[0], None)
                roots.update(self._roots.get(place[0], {place: count}))
            else:
                roots.update(self._enter(chain, place, count))
        self._leave(chain, call, roots)
        for storage in self._storages.gone():
            self._roots.pop(storage, None)
        return [self._end(self._open[0])] if len(self._open) > _OPEN else []

    def alone(self, call: Call) -> list[Chain]:
        """An operator that is a kernel of its own: the chains that end because it reads from them."""
        ended: list[Chain] = []
        for tensor in call.inputs():
            storage = self._storages.number(tensor)
            maker = self._made_by.get(storage)
            if maker is not None:
                if storage not in maker.written:
                    maker.left[storage] = maker.made[storage]
                if maker not in ended:
                    ended.append(maker)
            elif storage in self._roots:
                again = Chain()
                again.names["again"] = None
                again.read.update(self._roots.pop(storage))
                again.late = call.bytes_of([tensor])
                ended.append(again)
        for chain in ended:
            self._end(chain)
        for tensor in call.written_tensors():
            self._roots.pop(self._storages.number(tensor), None)
        return ended

    def end(self) -> list[Chain]:
        """All that are open."""
        return [self._end(chain) for chain in list(self._open)]

    def _place(self, tensor: Any) -> Place:
        return (self._storages.number(tensor), tensor.storage_offset(), tensor.numel())

    def _joined(self, places: list[Place]) -> Chain:
        """The chains that made or read one of these, as one; a new one where there are none."""
        found = [self._made_by.get(place[0]) or self._read_by.get(place) for place in places]
        chains = list({id(chain): chain for chain in found if chain is not None}.values())
        if not chains:
            self._open.append(Chain())
            return self._open[-1]
        first, *others = chains
        for other in others:
            first.take_over(other)
            self._open.remove(other)
            for storage in other.made:
                if self._made_by.get(storage) is other:
                    self._made_by[storage] = first
            for place in other.read:
                self._read_by[place] = first
        return first

    def _enter(self, chain: Chain, place: Place, count: int) -> dict[Place, int]:
        """What the chain reads for a tensor that it did not make."""
        roots = self._roots.get(place[0])
        if roots is not None and sum(each for root, each in roots.items() if root not in chain.read) <= _CHEAP * count:
            self._read(chain, roots)
            return roots
        if roots is not None:
            del self._roots[place[0]]
            chain.late += count
        self._read(chain, {place: count})
        return {place: count}

    def _read(self, chain: Chain, what: dict[Place, int]) -> None:
        chain.read.update(what)
        for place in what:
            self._read_by[place] = chain

    def _leave(self, chain: Chain, call: Call, roots: dict[Place, int]) -> None:
        in_place = {self._storages.number(tensor) for tensor in call.written_tensors()}
        for tensor in call.outputs():
            storage, count = self._storages.number(tensor), call.bytes_of([tensor])
            is_there = storage in in_place and self._made_by.get(storage) is not chain
            is_small = 2 * count < max(roots.values(), default=0)
            self._made_by[storage] = chain
            chain.made[storage] = max(count, chain.made.get(storage, 0))
            if tensor.dtype is torch.bool:
                self._roots[storage] = dict(roots)  # a mask: made again where it is needed
            elif is_there or is_small or len(roots) > _ROOTS:
                self._roots.pop(storage, None)
                chain.written[storage] = count
            else:
                self._roots[storage] = dict(roots)
                chain.left[storage] = chain.made[storage]

    def _end(self, chain: Chain) -> Chain:
        if chain in self._open:
            self._open.remove(chain)
        for storage in chain.made:
            if self._made_by.get(storage) is chain:
                del self._made_by[storage]
            if storage in chain.left:
                self._roots.pop(storage, None)
        for place in chain.read:
            if self._read_by.get(place) is chain:
                del self._read_by[place]
        return chain
