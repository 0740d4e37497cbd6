"""Asynchronous checkpoints of torch.distributed.checkpoint.

PyTorch saves in a second thread, whose collectives come between those of training by luck. Here a save that is begun is
carried out at once, so that a rank's operations have one order, and what takes the state is what was there when it was asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import ModuleType
from typing import Any

SAVERS = ("torch.distributed.checkpoint._async_thread_executor", "torch.distributed.checkpoint.state_dict_saver")
"""The modules that start the thread: one since PyTorch 2.7, the other before."""


class AtOnce:
    """A concurrent.futures.Executor of no thread."""

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
