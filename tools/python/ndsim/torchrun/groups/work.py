"""What a call of torch.distributed returns: something to wait for."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._C import _distributed_c10d as c10d

from .pending import Entry

if TYPE_CHECKING:
    from ..cuda.streams import Streams


class Work(c10d.Work):
    """A collective, or a message, under way."""

    def __init__(
        self, streams: Streams, entry: Entry | None, outputs: Sequence[torch.Tensor], *, host: bool = False
    ) -> None:
        super().__init__()
        self._streams = streams
        self._entry = entry
        # This object is kept for long after the script has dropped its tensors (process_group.py); what is under way holds
        # them itself.
        self._outputs = [weakref.ref(tensor) for tensor in outputs]
        self._host = host
        self._source = -1

    def wait(self, timeout: Any = None) -> bool:
        """Make the current CUDA stream wait; after a barrier the host waits, too."""
        if self._entry is not None:
            self._streams.current.wait_entry(self._entry)
            if self._host:
                self._streams.synchronize()
        return True

    def join(self) -> None:
        """The main stream waits, whatever CUDA stream is current."""
        if self._entry is not None:
            self._streams.rank.pending.join(self._entry)

    def synchronize(self) -> None:
        self.wait()

    def is_completed(self) -> bool:
        return self._entry is None or self._streams.has_ended(self._entry)

    def is_success(self) -> bool:
        return True

    def exception(self) -> None:
        return None

    def result(self) -> list[torch.Tensor]:
        return [tensor for tensor in (ref() for ref in self._outputs) if tensor is not None]

    def source_rank(self) -> int:
        return self._source

    _source_rank = source_rank

    def get_future(self) -> Future:
        """The tensors at once, as with CUDA: who works with them waits then."""
        future = Future(self._streams, self._entry)
        future.set_result(self.result())
        return future


class Future(torch.futures.Future):  # type: ignore[type-arg]
    """The future of a collective: what is done then runs beside the program, behind the collective."""

    def __init__(self, streams: Streams, entry: Entry | None) -> None:
        super().__init__()
        self._streams = streams
        self._entry = entry

    def then(self, callback: Callable[[Any], Any]) -> Future:
        """Call it with this future, on a stream of its own that waits for the collective."""
        result = Future(self._streams, self._entry)
        side = self._streams.beside(self._entry)
        try:
            with self._streams.use(side):
                value = callback(self)
        except Exception as error:
            result.set_exception(error)
        else:
            result.set_result(value)
        return result

    def wait(self) -> Any:
        if self._entry is not None:
            self._streams.current.wait_entry(self._entry)
        return super().wait()


class Received(Work):
    """A receive from any rank: the host waits for the first message."""

    def __init__(
        self,
        streams: Streams,
        outputs: Sequence[torch.Tensor],
        receive: Callable[[], int],
        is_there: Callable[[], bool],
    ) -> None:
        super().__init__(streams, None, outputs)
        self._receive = receive
        self._is_there = is_there

    def wait(self, timeout: Any = None) -> bool:
        if self._source < 0:
            self._source = self._receive()
        return super().wait(timeout)

    def is_completed(self) -> bool:
        return self._source >= 0 or (self._is_there() and self.wait())
