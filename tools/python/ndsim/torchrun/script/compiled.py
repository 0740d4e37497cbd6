"""torch.compile: its argument stays as it is, and the operators inside are priced as if the compiler fused them.

This covers its calls and the part of a backward pass that they produced; everything around them is priced as usual.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from ...torch.making import loader
from .. import rank as ranks

# The other backends fuse nothing: they run the operators one by one.
FUSES = (None, "inductor", "cudagraphs")


def compile_model(model: Any = None, **settings: Any) -> Any:
    """torch.compile, as a function and as a decorator. A module stays itself, and counts as compiled when called."""
    if model is None:
        return functools.partial(compile_model, **settings)
    if settings.get("disable") or settings.get("backend") not in FUSES:
        return model
    torch: Any = importlib.import_module("torch")
    if isinstance(model, torch.nn.Module):
        model._compiled_call_impl = compiled(model._call_impl)
        return model
    return compiled(model)


def compiled(function: Any) -> Any:
    """A function whose operators are fused."""
    slot: Any = loader.loaded_slot()

    @functools.wraps(function)
    def call(*arguments: Any, **settings: Any) -> Any:
        slot.begin_compiled()
        try:
            return function(*arguments, **settings)
        finally:
            slot.end_compiled()

    return call


def is_compiled() -> bool:
    """Whether an operator called here is fused."""
    rank = ranks.this_rank()
    return loader.loaded_slot().is_compiled() or (rank is not None and rank.options.compiled)


def prepare(setting: ranks.Setting) -> None:
    torch: Any = importlib.import_module("torch")
    torch.compile = compile_model
