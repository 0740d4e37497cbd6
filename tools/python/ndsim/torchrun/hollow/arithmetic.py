"""Hollow runs: every operator has its shape, its time and its memory on the simulated GPU, and none of its numbers.

An operator on a large tensor does not run: what it returns has the right shape, of memory that nobody touches. How the
result is shaped is asked once for each signature, of the same operator on PyTorch's "meta" tensors. Small tensors are
computed, on zeros where they come from large ones, so that a script's own bookkeeping goes on. What comes from numbers
that were never computed is hollow, and shown so.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..arguments import SHAPED_BY_NUMBERS, tensors_in
from ..refusals import refuse
from . import numbers as hollow_numbers
from .storages import Storages

Tensor = torch.Tensor

# A tensor from so many bytes on is large.
LARGE = 1 << 16

# What makes memory without touching it, or changes a storage itself: done as it stands.
AS_IT_STANDS = {
    "aten::empty",
    "aten::empty_like",
    "aten::empty_strided",
    "aten::new_empty",
    "aten::new_empty_strided",
    "aten::resize_",
    "aten::resize_as_",
    "aten::set_",
    "aten::lift",
    "aten::lift_fresh",
}
# An index of these types picks as many elements as it has ones.
MASKS = (torch.bool, torch.uint8)
META = torch.device("meta")


def bytes_of(tensor: Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def true_of_hollow(real: Callable[..., Any], hollow: Hollow) -> Callable[..., Any]:
    def ask(input: Tensor, other: Tensor, *rest: Any, **options: Any) -> Any:
        found = real(input, other, *rest, **options)
        return found or hollow.is_hollow(input) or hollow.is_hollow(other)

    return ask


def signature(value: Any) -> Any:
    """What an operator's result's shape depends on."""
    if isinstance(value, Tensor):
        return (value.shape, value.stride(), value.dtype)
    if isinstance(value, (list, tuple)):
        return tuple(map(signature, value))
    return (type(value), value)


def as_meta(value: Any) -> Any:
    if isinstance(value, Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=META)
    if isinstance(value, (list, tuple)):
        return type(value)(map(as_meta, value))
    return META if isinstance(value, torch.device) else value


class Shape:
    """A tensor of a result."""

    __slots__ = ("dtype", "large", "size", "stride")

    def __init__(self, tensor: Tensor) -> None:
        self.size, self.stride, self.dtype = tensor.shape, tensor.stride(), tensor.dtype
        self.large = bytes_of(tensor) >= LARGE

    def make(self) -> Tensor:
        made = torch.empty_strided(self.size, self.stride, dtype=self.dtype)
        # Scripts look at small ones.
        return made if self.large else made.zero_()


def shapes_of(value: Any) -> Any:
    if isinstance(value, Tensor):
        return Shape(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(shapes_of, value))
    return value


def made(shapes: Any) -> Any:
    if isinstance(shapes, Shape):
        return shapes.make()
    if isinstance(shapes, (list, tuple)):
        return type(shapes)(map(made, shapes))
    return shapes


class Written:
    """What of its arguments an operator writes to, and returns."""

    __slots__ = ("as_it_stands", "by_name", "by_place", "compares", "picks", "returns", "shaped_by_numbers")

    def __init__(self, func: Any) -> None:
        schema = func._schema
        written = [
            (place, argument.name)
            for place, argument in enumerate(schema.arguments)
            if argument.alias_info is not None and argument.alias_info.is_write
        ]
        self.by_place = [place for place, _ in written]
        self.by_name = [name for _, name in written]
        self.returns = len(schema.returns)
        # Collectives and what else is no arithmetic.
        self.as_it_stands = schema.name in AS_IT_STANDS or not schema.name.startswith("aten::")
        self.shaped_by_numbers = schema.name in SHAPED_BY_NUMBERS
        self.picks = schema.name == "aten::index"
        self.compares = schema.name == "aten::equal"

    def found(self, args: Any, kwargs: Any) -> list[Any]:
        return [
            args[place] if place < len(args) else kwargs.get(name)
            for place, name in zip(self.by_place, self.by_name, strict=True)
        ]


class Hollow:
    """The arithmetic of a hollow run, in the place of real arithmetic."""

    def __init__(self, real: Callable[..., Any]) -> None:
        self.real = real
        self.written: dict[Any, Written] = {}
        self.shapes: dict[Any, Any] = {}
        self.storages = Storages()

    @staticmethod
    def is_large(size: int) -> bool:
        return size >= LARGE

    def is_hollow(self, tensor: Tensor) -> bool:
        return tensor in self.storages

    def mark(self, value: Any) -> None:
        """What an operator has made, or written to, is hollow."""
        for tensor in tensors_in((value,)):
            self.storages.add(tensor)

    def carries_none(self, size: int, outputs: Sequence[Tensor]) -> bool:
        """Whether a collective or a message of so many bytes, the same on all its members, moves nothing."""
        if size < LARGE:
            return False
        self.mark(list(outputs))
        return True

    def noted(self, mine: Any, inputs: Sequence[Tensor]) -> bytes:
        """What a member brings to a small one, and whether it is hollow."""
        return bytes(mine) + bytes([any(map(self.is_hollow, inputs))])

    def noticing(self, outputs: Sequence[Tensor], finish: Callable[[Any], None]) -> Callable[[Any], None]:
        """Take from what came whether it is hollow, and make the outputs of the rest."""

        def notice(parts: Sequence[memoryview]) -> None:
            finish([part[:-1] for part in parts])
            if any(len(part) and part[-1] for part in parts):
                self.mark(list(outputs))

        return notice

    def run(self, func: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        written = self.written.get(func)
        if written is None:
            written = self.written[func] = Written(func)
        if written.as_it_stands:
            return call(*args, **kwargs)
        large = hollow = False
        has_tensors = False
        for tensor in tensors_in((*args, *kwargs.values())):
            has_tensors = True
            large = large or bytes_of(tensor) >= LARGE
            hollow = hollow or tensor in self.storages
        # A hollow number of Python comes as nan.
        hollow = hollow or any(type(each) is float and each != each for each in args)
        if large and (written.shaped_by_numbers or (written.picks and has_mask(args))):
            refuse(
                f"{func._schema.name.removeprefix('aten::')} in a hollow run",
                "how large its result is depends on numbers that are not computed; run it without --hollow, or smaller",
            )
        if written.compares and (large or hollow):
            return True
        if not large and (has_tensors or not makes_large(args)):
            out = self.real(func, call, args, kwargs)
            if hollow:
                # Written over from real tensors alone, a tensor stays what it was: part of it may be hollow.
                self.mark(written.found(args, kwargs) if written.by_place else out)
            return out
        if written.by_place:
            targets = written.found(args, kwargs)
            self.mark(targets)
            if not written.returns:
                return None
            return targets[0] if written.returns == 1 else tuple(targets[: written.returns])
        out = made(self.shapes_of_result(func, call, args, kwargs))
        self.mark(out)
        return out

    def shapes_of_result(self, func: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        key: Any = (func, signature(args), tuple((name, signature(value)) for name, value in kwargs.items()))
        try:
            known = self.shapes.get(key)
        except TypeError:
            key, known = None, None
        if known is not None:
            return known
        shapes = shapes_of(self.result_of(func, call, args, kwargs))
        if key is not None:
            self.shapes[key] = shapes
        return shapes

    def result_of(self, func: Any, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A result of the right shape: from meta tensors, else from PyTorch's own decomposition, else from doing it once."""
        if func._schema.name.startswith("aten::_foreach_"):
            return args[0]
        meta = as_meta(tuple(args))
        options = {name: as_meta(value) for name, value in kwargs.items()}
        if "device" in options or next(tensors_in((*args, *kwargs.values())), None) is None:
            options["device"] = META
        for run in (func, decomposition(func)):
            if run is None:
                continue
            try:
                return run(*meta, **options)
            except (NotImplementedError, RuntimeError, TypeError):
                pass
        return self.real(func, call, args, kwargs)


def decomposition(func: Any) -> Any:
    try:
        return importlib.import_module("torch._decomp").decomposition_table.get(func)
    except ImportError:
        return None


def has_mask(args: Any) -> bool:
    """Whether tensor[indices] has a mask among its indices."""
    return any(isinstance(index, Tensor) and index.dtype in MASKS for index in args[1])


def makes_large(args: Any) -> bool:
    """Whether an operator without tensors is about to make a large one: torch.zeros(size), torch.arange(end)."""
    for each in args:
        if isinstance(each, (list, tuple)) and all(type(one) is int for one in each):
            return math.prod(each) * 4 >= LARGE
    return any(type(each) is int and each * 8 >= LARGE for each in args)


def install(rank: Any) -> None:
    """Show hollow numbers as such, wherever a script looks at them."""
    if not rank.options.hollow:
        return
    hollow = rank.hollow = Hollow(rank.operators.compute)
    rank.operators.compute = hollow.run
    hollow_numbers.install_math()
    for name in ("item", "tolist"):
        setattr(Tensor, name, looked_at(getattr(Tensor, name), hollow, hollow_numbers.hollow))
    # float(x) and int(x) are numbers of Python itself, whatever these return.
    for name, bare in (("__float__", math.nan), ("__int__", 0)):
        setattr(Tensor, name, looked_at(getattr(Tensor, name), hollow, lambda value, bare=bare: bare))
    for place in (torch, Tensor):
        setattr(place, "allclose", true_of_hollow(getattr(place, "allclose"), hollow))  # noqa: B009, B010
    real_numpy, real_repr = Tensor.numpy, Tensor.__repr__

    def numpy(self: Tensor, **options: Any) -> Any:
        found = real_numpy(self, **options)
        if not hollow.is_hollow(self):
            return found
        numbers = found.astype(object)
        numbers.fill(hollow_numbers.hollow(found.dtype.type(0).item()))
        return numbers

    def shown(self: Tensor, *, tensor_contents: Any = None) -> str:
        if not hollow.is_hollow(self):
            return str(real_repr(self, tensor_contents=tensor_contents))
        size = f", size={tuple(self.shape)}" if self.dim() else ""
        return f"tensor({hollow_numbers.WORD}{size}, dtype={self.dtype})"

    Tensor.numpy = numpy  # type: ignore[assignment, method-assign]
    Tensor.__repr__ = shown  # type: ignore[assignment, method-assign]


def looked_at(real: Callable[..., Any], hollow: Hollow, show: Callable[[Any], Any]) -> Callable[..., Any]:
    def look(self: Tensor) -> Any:
        value = real(self)
        return show(value) if hollow.is_hollow(self) else value

    return look
