"""Detects recomputation: a backward pass that needs dropped activations runs part of the forward pass again.

PyTorch's checkpointing and frameworks' own both enable gradient recording for it, inside a backward pass that records none.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from .. import rank as ranks


def is_in_backward() -> bool:
    torch: Any = importlib.import_module("torch")
    return bool(torch._C._current_graph_task_id() != -1)


def prepare(setting: ranks.Setting) -> None:
    of: Any = importlib.import_module("torch").autograd.grad_mode.enable_grad
    really_enter, really_exit = of.__enter__, of.__exit__

    @functools.wraps(really_enter)
    def enter(self: Any) -> None:
        really_enter(self)
        rank = ranks.this_rank()
        if rank is not None and rank.gpus is not None and not self.prev and is_in_backward():
            rank.gpus.recompute(True)

    @functools.wraps(really_exit)
    def leave(self: Any, *error: Any) -> None:
        really_exit(self, *error)
        rank = ranks.this_rank()
        if rank is not None and rank.gpus is not None and not self.prev:
            rank.gpus.recompute(False)

    of.__enter__, of.__exit__ = enter, leave
