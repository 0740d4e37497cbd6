"""Collectives of parallel layers, random numbers that differ between their ranks, and activation recomputation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
import torch.utils.checkpoint

Group = Any

_rng_states: dict[str, Any] = {}
_recomputing = {"activation_recompute": False, "recompute_phase": False}


def get_distributed_world_size(group: Group | None = None) -> int:
    return dist.get_world_size(group) if dist.is_initialized() else 1


def gather_along_first_dim(given: Any, group: Group, async_op: bool = False) -> tuple[Any, Any]:
    """All ranks' rows, and a handle to wait for."""
    size = get_distributed_world_size(group)
    if size == 1:
        return given, None
    made = torch.empty((given.shape[0] * size, *given.shape[1:]), dtype=given.dtype, device=given.device)
    return made, dist.all_gather_into_tensor(made, given.contiguous(), group=group, async_op=async_op)


def reduce_scatter_along_first_dim(given: Any, group: Group, async_op: bool = False) -> tuple[Any, Any]:
    """This rank's rows of the sum, and a handle to wait for."""
    size = get_distributed_world_size(group)
    if size == 1:
        return given, None
    made = torch.empty((given.shape[0] // size, *given.shape[1:]), dtype=given.dtype, device=given.device)
    return made, dist.reduce_scatter_tensor(made, given.contiguous(), group=group, async_op=async_op)


def allreduce(given: Any, group: Group, async_op: bool = False) -> tuple[Any, Any]:
    if get_distributed_world_size(group) == 1:
        return given, None
    return given, dist.all_reduce(given, group=group, async_op=async_op)


def set_tensor_model_parallel_attributes(tensor: Any, is_parallel: bool, dim: int, stride: int) -> None:
    """Attributes that tell a framework how a parameter is sharded."""
    tensor.tensor_model_parallel = is_parallel
    tensor.partition_dim = dim
    tensor.partition_stride = stride


def graph_safe_rng_available() -> bool:
    return True


def get_all_rng_states() -> dict[str, Any]:
    return _rng_states


def set_all_rng_states(states: dict[str, Any]) -> None:
    _rng_states.clear()
    _rng_states.update(states)


class CudaRNGStatesTracker:
    """Named states of the GPU's random numbers, one for each kind of parallelism that draws its own."""

    def __init__(self) -> None:
        self.states_: dict[str, Any] = {}
        self.seeds_: set[int] = set()

    def reset(self) -> None:
        self.states_ = {}
        self.seeds_ = set()

    def get_states(self) -> dict[str, Any]:
        return dict(self.states_)

    def set_states(self, states: dict[str, Any]) -> None:
        self.states_ = states
        set_all_rng_states(states)

    def add(self, name: str, seed: int) -> None:
        if seed in self.seeds_:
            raise RuntimeError(f"seed {seed} already exists")
        if name in self.states_:
            raise RuntimeError(f"cuda rng state {name} already exists")
        self.seeds_.add(seed)
        generator = torch.cuda.default_generators[torch.cuda.current_device()].clone_state()
        generator.manual_seed(seed)
        self.states_[name] = generator
        set_all_rng_states(self.states_)

    @contextlib.contextmanager
    def fork(self, name: str = "model-parallel-rng") -> Iterator[None]:
        """Draw from the state with this name."""
        if name not in self.states_:
            raise KeyError(f"cuda rng state {name} is not added")
        own = torch.cuda.default_generators[torch.cuda.current_device()]
        before = own.get_state()
        own.set_state(self.states_[name].get_state())
        try:
            yield
        finally:
            self.states_[name].set_state(own.get_state())
            own.set_state(before)


@contextlib.contextmanager
def activation_recompute_forward(activation_recompute: bool = False, recompute_phase: bool = False) -> Iterator[None]:
    """Marks a function whose activations are dropped, or being recomputed."""
    before = dict(_recomputing)
    _recomputing.update(activation_recompute=activation_recompute, recompute_phase=recompute_phase)
    try:
        yield
    finally:
        _recomputing.update(before)


def is_fp8_activation_recompute_enabled() -> bool:
    return _recomputing["activation_recompute"]


def in_fp8_activation_recompute_phase() -> bool:
    return _recomputing["activation_recompute"] and _recomputing["recompute_phase"]


def _states_of(tracker: Any) -> tuple[Any, ...]:
    kept = {name: state.get_state() if hasattr(state, "get_state") else state for name, state in tracker.get_states().items()}
    return torch.get_rng_state(), torch.cuda.get_rng_state(), kept


def _set_states(tracker: Any, states: tuple[Any, ...]) -> None:
    host, gpu, kept = states
    torch.set_rng_state(host)
    torch.cuda.set_rng_state(gpu)
    for name, state in tracker.get_states().items():
        if hasattr(state, "set_state"):
            state.set_state(kept[name])
    if not any(hasattr(state, "set_state") for state in tracker.get_states().values()):
        tracker.set_states(kept)


class _Checkpoint(torch.autograd.Function):
    """Runs a function without keeping activations, and again, with the same random numbers, for its gradient."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], tracker: Any, settings: dict[str, Any], *given: Any) -> Any:
        from .fp8 import FP8GlobalStateManager

        ctx.function, ctx.tracker, ctx.settings = function, tracker, settings
        ctx.states = _states_of(tracker()) if tracker is not None else None
        ctx.fp8 = FP8GlobalStateManager.get_autocast_state()
        with torch.no_grad(), activation_recompute_forward(True, False):
            result = function(*given, **settings)
        ctx.tensors = [i for i, each in enumerate(given) if torch.is_tensor(each)]
        ctx.rest = [None if torch.is_tensor(each) else each for each in given]
        ctx.save_for_backward(*(given[i] for i in ctx.tensors))
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        from .fp8 import FP8GlobalStateManager

        given = list(ctx.rest)
        for i, tensor in zip(ctx.tensors, ctx.saved_tensors):
            given[i] = tensor.detach().requires_grad_(tensor.requires_grad)
        now = _states_of(ctx.tracker()) if ctx.tracker is not None else None
        fp8 = FP8GlobalStateManager.get_autocast_state()
        if now is not None:
            _set_states(ctx.tracker(), ctx.states)
        FP8GlobalStateManager.set_autocast_state(ctx.fp8)
        with torch.enable_grad(), activation_recompute_forward(True, True):
            result = ctx.function(*given, **ctx.settings)
        FP8GlobalStateManager.set_autocast_state(fp8)
        if now is not None:
            _set_states(ctx.tracker(), now)
        made = result if isinstance(result, tuple) else (result,)
        pairs = [(one, grad) for one, grad in zip(made, grads) if torch.is_tensor(one) and one.requires_grad]
        torch.autograd.backward([one for one, _ in pairs], [grad for _, grad in pairs])
        return (None, None, None, *(each.grad if torch.is_tensor(each) else None for each in given))


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    distribute_saved_activations: bool = False,
    get_rng_state_tracker: Callable[[], Any] | None = None,
    tp_group: Group | None = None,
    use_reentrant: bool = True,
    **kwargs: Any,
) -> Any:
    """Calls a function with activation recomputation."""
    if distribute_saved_activations:
        from ndsim.torchrun.stand_ins.refused import not_simulated

        not_simulated("transformer_engine's checkpoint with distribute_saved_activations", "leave it out")
    return _Checkpoint.apply(function, get_rng_state_tracker, kwargs, *args)
