"""Functions of the script, called on the host with what they hold on a GPU."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from ...torch.making import loader


@functools.cache
def on_the_host() -> Any:
    """A mode in which what functions of the script captured on a GPU is read where its numbers lie."""
    torch: Any = importlib.import_module("torch")
    pytree: Any = importlib.import_module("torch.utils._pytree")
    modes: Any = importlib.import_module("torch.utils._python_dispatch")
    slot: Any = loader.loaded_slot()

    def lower(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.is_cuda:
            return slot.on_cpu(value)
        return torch.device("cpu") if isinstance(value, torch.device) and value.type == "cuda" else value

    class OnTheHost(modes.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, function: Any, types: Any, arguments: Any = (), settings: Any = None) -> Any:
            arguments, settings = pytree.tree_map(lower, (arguments, settings or {}))
            return function(*arguments, **settings)

    return OnTheHost
