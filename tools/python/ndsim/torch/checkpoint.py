"""Asynchronous checkpoints of torch.distributed.checkpoint.

PyTorch saves in a second thread, whose collectives interleave with those of training at random. Here a save runs as soon as it is
requested, so that a rank's operations have one order, and the saved state is the state at the time of the request.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import ModuleType
from typing import Any

SAVERS = ("torch.distributed.checkpoint._async_thread_executor", "torch.distributed.checkpoint.state_dict_saver")
"""The modules that start the thread: the first since PyTorch 2.7, the second before."""


class AtOnce:
    """A concurrent.futures.Executor without a thread."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def submit(self, call: Callable[..., Any], *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(call(*arguments, **named))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True) -> None:
        pass


def save_at_once(saver: ModuleType) -> None:
    if hasattr(saver, "ThreadPoolExecutor"):
        vars(saver)["ThreadPoolExecutor"] = AtOnce
