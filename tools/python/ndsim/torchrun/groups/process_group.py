"""The process group: every collective of torch.distributed, priced by size as NCCL's, with the data of real ranks.

A group has a stream of the simulator of its own, the same on all members. The bytes that a member contributes travel
beside the priced operation and are used when it is joined (pending.py).
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._C import _distributed_c10d as c10d

from ..refusals import check_thread
from . import data
from .messages import Messages
from .pending import Entry
from .sparse import Sparse
from .work import Work

# So many works are kept after they have ended: PyTorch's C++ holds the C++ half only, and waits for ever without the
# other one.
KEPT_WORKS = 1024

Tensors = Sequence[torch.Tensor]
# Writes what came from all members into the outputs.
Finish = Callable[[list[torch.Tensor], list[memoryview]], None]


def operation_of(options: Any) -> Any:
    """The reduction, of options or as it stands."""
    return getattr(options, "reduceOp", options if options is not None else c10d.ReduceOp.SUM)


def one(tensors: Any, what: str) -> torch.Tensor:
    if isinstance(tensors, torch.Tensor):
        return tensors
    if len(tensors) != 1:
        raise RuntimeError(f"{what} of {len(tensors)} tensors: a rank has one GPU, so one tensor")
    return tensors[0]


class ProcessGroup(Messages, Sparse, c10d.ProcessGroup):
    """A process group of one rank."""

    def __init__(self, rank: Any, number: int, stream: int, members: Sequence[int], backend: str) -> None:
        self.me = list(members).index(rank.gpu.rank)
        c10d.ProcessGroup.__init__(self, self.me, len(members))
        self.ndsim_rank = rank
        self.number = number
        self.stream = stream
        self.members = list(members)
        self.group = rank.fold.group(self.members)
        self.backend = backend
        self._kept: collections.deque[Work] = collections.deque(maxlen=KEPT_WORKS)

    def getBackendName(self) -> str:
        """For C++, which casts what calls itself gloo to its own class."""
        return "ndsim"

    def name(self) -> str:
        return self.backend

    _get_backend_name = name

    def _set_sequence_number_for_group(self) -> None:
        pass

    def _start_coalescing(self) -> None:
        pass

    def _end_coalescing(self, requests: Any = None) -> None:
        pass

    # --- what all collectives have in common

    def root_of(self, options: Any) -> int:
        """The root, as a member; in a folded run, the one that stands for it."""
        root = int(getattr(options, "rootRank", options))
        fold = self.ndsim_rank.fold
        return int(fold.running_member(self.members, root)) if fold.is_folded else root

    def keep(self, work: Work) -> Work:
        self._kept.append(work)
        return work

    def ready(self, tensors: Tensors) -> None:
        """Wait for what writes to these tensors, which a collective is about to read."""
        for tensor in tensors:
            self.ndsim_rank.pending.touch(tensor)

    def start(
        self,
        kind: str,
        size: int,
        outputs: Tensors = (),
        *,
        inputs: Tensors = (),
        prefix: bytes = b"",
        root: int = -1,
        takes: bool = True,
        gives: bool = True,
        finish: Finish | None = None,
        host: bool = False,
    ) -> Work:
        """Start a collective of so many bytes. root: a member."""
        rank = self.ndsim_rank
        check_thread(kind)
        self.ready(inputs)
        if rank.hollow is not None and rank.hollow.carries_none(size, outputs):
            gives, takes, finish = False, False, None
        end = None if finish is None else functools.partial(finish, list(map(data.alias, outputs)))
        if rank.hollow is not None and end is not None:
            end = rank.hollow.noticing(outputs, end)
        if rank.fold.is_folded and end is not None:
            end = rank.fold.unfolding(self.members, end)
        with data.unseen():
            mine = data.packed(inputs) if gives and inputs else None
            if prefix:
                mine = prefix + bytes(mine) if mine is not None else prefix
            if rank.hollow is not None and gives:
                mine = rank.hollow.noted(mine or b"", inputs)
            if len(self.members) == 1:
                return self.alone(outputs, mine, end, host)
        rank.operators.end_chains()
        rank.collectives.append((kind, size, len(self.members)))
        stream = rank.streams.current
        after_main, before = stream.before_collective()
        handle = rank.device.collective(
            self.stream,
            kind,
            size,
            group=self.group,
            root=self.members[root] if root >= 0 else -1,
            data=mine,
            takes=takes,
            after_main=after_main,
            not_before=stream.until,
            after=[entry.handle for entry in before if entry.handle is not None],
            label=rank.located(kind),
        )
        entry = rank.pending.add(Entry(handle, takes, end, outputs))
        if not stream.is_main:
            stream.last = entry
        return self.keep(Work(rank.streams, entry, outputs, host=host))

    def alone(self, outputs: Tensors, mine: Any, end: Callable[[Any], None] | None, host: bool) -> Work:
        """A collective of one member."""
        for tensor in outputs:
            self.ndsim_rank.pending.touch(tensor)
        if end is not None:
            end([memoryview(bytes(mine if mine is not None else b""))])
        return self.keep(Work(self.ndsim_rank.streams, None, outputs, host=host))

    # --- reductions

    def allreduce(self, tensors: Any, opts: Any = None) -> Work:
        tensor = one(tensors, "all_reduce")
        if tensor.is_sparse:
            return self.sparse_all_reduce(tensor, operation_of(opts))
        return self.reduce_all([tensor], opts)

    def allreduce_coalesced(self, tensors: Any, opts: Any = None) -> Work:
        return self.reduce_all(list(tensors), opts)

    def reduce_all(self, tensors: list[torch.Tensor], opts: Any) -> Work:
        dtype = tensors[0].dtype
        name = data.check_reduction(operation_of(opts), dtype)

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            data.write_elements(targets, data.reduced(parts, targets[0].dtype, name))

        return self.start("all_reduce", sum(map(data.byte_count, tensors)), tensors, inputs=tensors, finish=finish)

    def reduce(self, tensors: Any, opts: Any = None, op: Any = None) -> Work:
        tensor = one(tensors, "reduce")
        root = self.root_of(opts)
        name = data.check_reduction(operation_of(opts if op is None and hasattr(opts, "reduceOp") else op), tensor.dtype)
        here = root == self.me

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            data.write_elements(targets, data.reduced(parts, targets[0].dtype, name))

        return self.start(
            "reduce",
            data.byte_count(tensor),
            [tensor] if here else (),
            inputs=[tensor],
            root=root,
            takes=here,
            finish=finish if here else None,
        )

    def reduce_scatter(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        output = one(outputs, "reduce_scatter")
        parts_in = list(inputs if isinstance(inputs[0], torch.Tensor) else inputs[0])
        return self.scatter_reduced(output, parts_in, opts)

    def _reduce_scatter_base(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Work:
        if input.numel() != output.numel() * len(self.members):
            raise RuntimeError("input tensor must be the same size as output size times world size")
        return self.scatter_reduced(output, [input], opts)

    def scatter_reduced(self, output: torch.Tensor, inputs: list[torch.Tensor], opts: Any) -> Work:
        name = data.check_reduction(operation_of(opts), output.dtype)
        own = data.byte_count(output)
        begin = self.me * own
        if len(inputs) > 1:
            begin = sum(map(data.byte_count, inputs[: self.me]))

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            chunks = [part[begin : begin + own] for part in parts]
            data.write_elements(targets, data.reduced(chunks, targets[0].dtype, name))

        return self.start("reduce_scatter", sum(map(data.byte_count, inputs)), [output], inputs=inputs, finish=finish)

    # --- what moves data

    def broadcast(self, tensors: Any, opts: Any = None) -> Work:
        tensor = one(tensors, "broadcast")
        root = self.root_of(opts)
        here = root == self.me

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            data.fill(targets[0], parts[root])

        return self.start(
            "broadcast",
            data.byte_count(tensor),
            [tensor],
            inputs=[tensor],
            root=root,
            takes=not here,
            gives=here,
            finish=None if here else finish,
        )

    def allgather(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        tensor = one(inputs, "all_gather")
        targets = list(outputs if isinstance(outputs[0], torch.Tensor) else outputs[0])
        if tensor.is_sparse:
            raise RuntimeError("all_gather of a sparse tensor: gather its indices() and values()")

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            for target, part in zip(targets, parts, strict=True):
                data.fill(target, part)

        return self.start("all_gather", sum(map(data.byte_count, targets)), targets, inputs=[tensor], finish=finish)

    def _allgather_base(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Work:
        if output.numel() != input.numel() * len(self.members):
            raise RuntimeError("output tensor size must be equal to world_size times input tensor size")

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            data.fill_all(targets, parts)

        return self.start("all_gather", data.byte_count(output), [output], inputs=[input], finish=finish)

    def allgather_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        lists = [list(each) for each in outputs]
        tensors = list(inputs)
        every = [tensor for each in lists for tensor in each]

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            left = iter(targets)
            for each, part in zip(lists, parts, strict=True):
                data.fill_all([next(left) for _ in each], [part])

        return self.start("all_gather", sum(map(data.byte_count, every)), every, inputs=tensors, finish=finish)

    def gather(self, outputs: Any, inputs: Any, opts: Any = None, root: Any = None) -> Work:
        tensor = one(inputs, "gather")
        where = self.root_of(opts if root is None else root)
        here = where == self.me
        nested = bool(outputs) and not isinstance(outputs[0], torch.Tensor)
        targets = list(outputs[0] if nested else outputs) if here else []

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            for target, part in zip(targets, parts, strict=True):
                data.fill(target, part)

        return self.start(
            "gather",
            data.byte_count(tensor) * len(self.members),
            targets,
            inputs=[tensor],
            root=where,
            takes=here,
            finish=finish if here else None,
        )

    def scatter(self, outputs: Any, inputs: Any, opts: Any = None, root: Any = None) -> Work:
        output = one(outputs, "scatter")
        where = self.root_of(opts if root is None else root)
        here = where == self.me
        nested = bool(inputs) and not isinstance(inputs[0], torch.Tensor)
        sources = list(inputs[0] if nested else inputs) if here else []
        own = data.byte_count(output)

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            data.fill(targets[0], parts[where][self.me * own : (self.me + 1) * own])

        return self.start(
            "scatter", own * len(self.members), [output], inputs=sources, root=where, gives=here, finish=finish
        )

    def alltoall_base(
        self, output: torch.Tensor, input: torch.Tensor, output_splits: Any, input_splits: Any, opts: Any = None
    ) -> Work:
        size = len(self.members)
        element = input.element_size()

        def bytes_each(tensor: torch.Tensor, splits: Any) -> list[int]:
            row = tensor.numel() // tensor.shape[0] if tensor.dim() and tensor.shape[0] else 1
            return [n * row * element for n in splits] if splits else [data.byte_count(tensor) // size] * size

        uneven = bool(output_splits or input_splits)
        if uneven:
            return self.exchange([output], bytes_each(output, output_splits), [input], bytes_each(input, input_splits))
        each = data.byte_count(input) // size

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            data.fill_all(targets, [part[self.me * each : (self.me + 1) * each] for part in parts])

        return self.start("all_to_all", data.byte_count(input), [output], inputs=[input], finish=finish)

    def alltoall(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        targets, sources = list(outputs), list(inputs)
        return self.exchange(targets, list(map(data.byte_count, targets)), sources, list(map(data.byte_count, sources)))

    def exchange(self, outputs: Tensors, received: list[int], inputs: Tensors, sent: list[int]) -> Work:
        """All to all with parts of any size. It lasts as long as the largest of what a member sends or receives."""
        largest = self.agree(max(sum(sent), sum(received)))
        table = data.numbers(sent)

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            found = []
            for member, part in enumerate(parts):
                sizes = data.read_numbers(part[: len(table)])
                if sizes[self.me] != received[member]:
                    raise RuntimeError(
                        f"all_to_all: rank {self.members[member]} sends {sizes[self.me]} B to rank {self.members[self.me]}, "
                        f"which expects {received[member]} B"
                    )
                begin = len(table) + sum(sizes[: self.me])
                found.append(part[begin : begin + sizes[self.me]])
            data.fill_all(targets, found)

        return self.start("all_to_all", largest, outputs, inputs=inputs, prefix=table, finish=finish)

    def agree(self, number: int) -> int:
        """The largest number of all members. They meet for it, as they do to tell each other how much they send."""
        found: list[int] = []

        def finish(targets: list[torch.Tensor], parts: list[memoryview]) -> None:
            found.extend(data.read_numbers(part)[0] for part in parts)

        work = self.start("barrier", 0, prefix=data.numbers([number]), finish=finish)
        work.join()
        return max(found)

    def barrier(self, opts: Any = None) -> Work:
        return self.start("barrier", 0, takes=False, gives=False, host=True)

    def monitored_barrier(self, timeout: Any = None, wait_all_ranks: bool = False) -> None:
        self.barrier().wait()
