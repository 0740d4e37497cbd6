"""A call of an operator, as its price depends on it: arguments by their names in the schema, and the bytes of its tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from ..arguments import tensors_in
from .kinds import NOT_READ, NOT_WRITTEN, READINGS, plain_name


class Operator:
    """What its schema says of an operator."""

    __slots__ = ("arguments", "func", "name", "written")

    def __init__(self, func: Any) -> None:
        schema = func._schema
        self.func = func
        self.name = plain_name(schema.name)
        self.arguments = [argument.name for argument in schema.arguments]
        self.written = [
            argument.name
            for argument in schema.arguments
            if argument.alias_info is not None
            and argument.alias_info.is_write
            and argument.name not in NOT_WRITTEN.get(self.name, ())
        ]


class Call:
    """An operator with its arguments and its result. `half`: tensors of fp32 count as having 2 bytes, under autocast."""

    def __init__(self, operator: Operator, args: Any, kwargs: Any, out: Any, half: bool = False) -> None:
        self.name = operator.name
        self.half = half
        self.named = dict(zip(operator.arguments, args))
        if kwargs:
            self.named.update(kwargs)
        self.written = operator.written
        self.out = out

    def bytes_of(self, tensors: Iterable[torch.Tensor]) -> int:
        return sum(tensor.numel() * self._element(tensor) for tensor in tensors)

    def _element(self, tensor: torch.Tensor) -> int:
        return 2 if self.half and tensor.dtype is torch.float32 else tensor.element_size()

    def tensor(self, *names: str) -> torch.Tensor:
        """The first argument of such a name, or the first tensor at all."""
        for name in names:
            value = self.named.get(name)
            if isinstance(value, torch.Tensor):
                return value
        return next(tensors_in(self.named.values()))

    def inputs(self) -> list[torch.Tensor]:
        """What is read: all but what is written alone."""
        left_out = NOT_READ.get(self.name, ())
        return list(
            tensors_in(value for name, value in self.named.items() if name not in left_out and not name.startswith("out"))
        )

    def written_tensors(self) -> list[torch.Tensor]:
        """What is written in place."""
        return list(tensors_in(self.named[name] for name in self.written if name in self.named))

    def outputs(self) -> list[torch.Tensor]:
        """What is returned, or written in place."""
        found = list(tensors_in([self.out]))
        return found or self.written_tensors()

    def read_bytes(self) -> int:
        return self.bytes_of(self.inputs()) * READINGS.get(self.name, 1)

    def written_bytes(self) -> int:
        return self.bytes_of(self.outputs())
