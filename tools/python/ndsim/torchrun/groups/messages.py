"""Messages of a process group: send, receive, and receive from any rank.

As with NCCL a message is an operation of its own beside the computing, and wait() makes the current stream wait. As with
gloo the tags count.
"""

from __future__ import annotations

from typing import Any

import torch

from . import data
from .pending import Entry
from .work import Received, Work

# A tag of the simulator has 31 bits: the lower ones are the script's.
TAG_BITS = 20


class Messages:
    """The part of a process group that sends and receives."""

    ndsim_rank: Any
    number: int
    members: list[int]

    def tag_of(self, tag: int) -> int:
        if not 0 <= tag < 1 << TAG_BITS:
            raise ValueError(f"the tag {tag} of a message is too large: 0 to {(1 << TAG_BITS) - 1}")
        return (self.number << TAG_BITS) | tag

    def flush(self) -> None:
        """All that was launched is handed over."""
        self.ndsim_rank.operators.end_chains()
        self.ndsim_rank.device.flush()

    def send(self, tensors: Any, target: int, tag: int = 0) -> Work:
        tensor = self.one_message(tensors, "send")
        rank = self.ndsim_rank
        rank.fold.require_running(self.members[target], "a message to")
        rank.pending.touch(tensor)
        with data.unseen():
            mine: Any = data.packed([tensor]) or b""
        if rank.hollow is not None:
            mine = None if self.carries_none(tensor) else rank.hollow.noted(mine, [tensor])
        self.flush()
        handle = rank.gpu.send_async(
            self.members[target],
            mine,
            label=rank.located("send"),
            bytes=float(data.byte_count(tensor)),
            tag=self.tag_of(tag),
        )
        entry = rank.pending.add(Entry(handle, False, None, ()))
        return self.keep(Work(rank.streams, entry, [tensor]))

    def recv(self, tensors: Any, source: int, tag: int = 0) -> Work:
        tensor = self.one_message(tensors, "recv")
        target = data.alias(tensor)
        rank = self.ndsim_rank
        rank.pending.touch(tensor)
        rank.fold.require_running(self.members[source], "a message of")
        hollow = rank.hollow
        size = data.byte_count(tensor)
        with data.unseen():
            solid = tensor if tensor.is_contiguous() and hollow is None else torch.empty(tensor.shape, dtype=tensor.dtype)
            into = data.memory(solid) or bytearray()
        if hollow is not None:
            into = None if self.carries_none(tensor) else bytearray(size + 1)
        self.flush()
        handle = rank.gpu.receive_async(
            self.members[source],
            into,
            label=rank.located("recv"),
            bytes=float(size),
            tag=self.tag_of(tag),
        )

        def finish(parts: list[memoryview]) -> None:
            if hollow is not None:
                if into is not None:
                    hollow.noticing([tensor], lambda found: data.fill(target, found[0]))([memoryview(into)])
            elif solid is not tensor:
                target.copy_(solid)

        entry = rank.pending.add(Entry(handle, False, finish, [tensor]))
        return self.keep(Work(rank.streams, entry, [tensor]))

    def recv_anysource(self, tensors: Any, tag: int = 0) -> Work:
        tensor = self.one_message(tensors, "recv")
        target = data.alias(tensor)
        rank = self.ndsim_rank

        def receive() -> int:
            rank.pending.touch(tensor)
            self.flush()
            label = rank.located("recv")
            rank.place.wait()
            message, source = rank.gpu.receive(tag=self.tag_of(tag), label=label)
            rank.place.go_on()
            if rank.hollow is not None:
                rank.hollow.mark(tensor)
                if self.carries_none(tensor):
                    rank.streams.synchronize()
                    return self.members.index(source)
                message = message[:-1]
            if len(message) != data.byte_count(tensor):
                raise RuntimeError(
                    f"recv from any rank: rank {source} sent {len(message)} B, and the tensor has "
                    f"{data.byte_count(tensor)} B"
                )
            with data.unseen():
                data.fill(target, memoryview(message))
            rank.streams.synchronize()
            return self.members.index(source)

        def is_there() -> bool:
            self.flush()
            return rank.gpu.probe_now(tag=self.tag_of(tag)) is not None

        return self.keep(Received(rank.streams, [tensor], receive, is_there))

    def carries_none(self, tensor: torch.Tensor) -> bool:
        """Whether a message of this tensor carries nothing."""
        return bool(self.ndsim_rank.hollow.carries_none(data.byte_count(tensor), [tensor]))

    def one_message(self, tensors: Any, what: str) -> torch.Tensor:
        tensor = tensors if isinstance(tensors, torch.Tensor) else tensors[0]
        if tensor.layout is not torch.strided:
            raise RuntimeError(f"{what} of a sparse tensor: send its indices() and values()")
        return tensor

    def keep(self, work: Work) -> Work:
        raise NotImplementedError
