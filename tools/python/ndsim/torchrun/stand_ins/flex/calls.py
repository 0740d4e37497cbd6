"""Functions of the script inside a kernel: called on the host, with the GPU tensors that they capture."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ....torch.making import loader
from ... import rank as ranks

KERNELS = "ndsim.torchrun.stand_ins.kernels.flex_attention"
_numbers = itertools.count()


@functools.cache
def on_the_host() -> Any:
    """A mode that reads GPU tensors captured by functions of the script from host memory, where their numbers are."""
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


@contextlib.contextmanager
def numbered(compute: Callable[..., Any]) -> Iterator[Any]:
    """The number that identifies a call to a kernel, valid while the call runs, or, in a CUDA graph, while the graph is alive."""
    torch: Any = importlib.import_module("torch")
    kernels: Any = importlib.import_module(KERNELS)
    number = next(_numbers)

    def on_host(*tensors: Any) -> Any:
        with on_the_host()():
            return compute(*tensors)

    kernels.calls[number] = on_host
    with contextlib.ExitStack() as ends:
        ends.callback(kernels.calls.pop, number)
        yield torch.tensor(number)
        rank = ranks.this_rank()
        graph = rank.graph() if rank is not None and rank.graph is not None else None
        if graph is not None and torch.cuda.is_current_stream_capturing():
            weakref.finalize(graph, ends.pop_all().close)
