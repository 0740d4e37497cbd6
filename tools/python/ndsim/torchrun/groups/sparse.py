"""All-reduce of sparse tensors, as gloo has it: every rank gets the indices and values of all, and adds them up."""

from __future__ import annotations

from typing import Any

import torch

from . import data
from .work import Work


class Sparse:
    """The part of a process group that reduces sparse tensors."""

    def sparse_all_reduce(self, tensor: torch.Tensor, operation: Any) -> Work:
        if data.name_of(operation) != "SUM":
            raise RuntimeError("all_reduce of a sparse tensor can add up only: ReduceOp.SUM")
        with data.unseen():
            mine = tensor.coalesce()
            indices, values = mine.indices().contiguous(), mine.values().contiguous()
        rows, dtype, shape = indices.shape[0], values.dtype, tuple(values.shape[1:])
        each = rows * 8 + values.element_size() * (values[0].numel() if len(values) else 1)
        largest = self.agree(values.shape[0])
        count = data.numbers([values.shape[0]])

        def read(part: memoryview) -> torch.Tensor:
            (number,) = data.read_numbers(part[: len(count)])
            split = len(count) + rows * number * 8
            places = data.elements(part[len(count) : split], torch.int64).clone().view(rows, number)
            numbers = data.elements(part[split:], dtype).clone().view(number, *shape)
            return torch.sparse_coo_tensor(places, numbers, tensor.shape)

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            total = read(parts[0])
            for part in parts[1:]:
                total = total + read(part)
            tensor.copy_(total.coalesce())

        size = len(self.members) * largest * each
        work = self.start("all_gather", size, [tensor], inputs=[indices, values], prefix=count, finish=finish)
        # No memory of its own says that a sparse tensor is pending.
        work.join()
        return work

    def agree(self, number: int) -> int:
        raise NotImplementedError

    def start(self, *arguments: Any, **options: Any) -> Work:
        raise NotImplementedError
