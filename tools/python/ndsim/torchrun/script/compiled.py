"""torch.compile: the model stays as it is, and its operators are priced as the compiler would fuse them."""

from __future__ import annotations

import importlib
from typing import Any

from .. import rank as ranks

# Scripts that spawn their ranks may compile at their top, before there is a rank. Ranks are forked from that process.
_before_the_ranks: list[bool] = []


def compile_model(model: Any = None, **settings: Any) -> Any:
    """torch.compile, called and as a decorator."""
    if model is None:
        return compile_model
    rank = ranks.this_rank()
    if rank is None or rank.alone is not None:
        _before_the_ranks[:] = [True]
    if rank is not None:
        fuse(rank)
    return model


def fuse(rank: ranks.Rank) -> None:
    rank.compiled = True
    if rank.gpus is not None:
        rank.gpus.compiled = True


def prepare(setting: ranks.Setting) -> None:
    torch: Any = importlib.import_module("torch")
    torch.compile = compile_model


def install(rank: ranks.Rank) -> None:
    if rank.compiled or _before_the_ranks:
        fuse(rank)
