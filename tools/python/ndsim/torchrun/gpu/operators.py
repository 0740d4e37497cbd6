"""Every operator of PyTorch that the script runs: what it waits for is joined, it runs, and the GPU is charged for it.

An operator runs on the GPU if one of its tensors is there (storages.py); then it costs the host a launch and the GPU its
price. An operator on tensors of the host costs the host a launch. Views and the moving of collective data cost nothing.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import _python_dispatch as dispatch

from ..arguments import SHAPED_BY_NUMBERS
from ..groups import data
from ..groups.pending import storage_key
from . import fused

Tensor = torch.Tensor
CPU = torch.device("cpu")
NOTHING: dict[str, Any] = {}

# The host has to wait for what they find: a number, or how large their result is.
ANSWERS = {
    "aten::_local_scalar_dense",
    "aten::equal",
    "aten::allclose",
    "aten::is_nonzero",
    *SHAPED_BY_NUMBERS,
}
COPIES = {"aten::_to_copy", "aten::copy_"}
RESIZES = {"aten::resize_", "aten::resize_as_", "aten::set_"}


def detached(call: Callable[..., Any]) -> Callable[..., Any]:
    """aten::detach, which PyTorch 1.13 hands a Python number, too, where autograd saves one: it stays a tensor."""

    def as_tensor(value: Any) -> Tensor:
        return value if isinstance(value, Tensor) else torch.scalar_tensor(value, dtype=torch.float64)

    return lambda value: as_tensor(call(as_tensor(value)))


class Plan:
    """What is known of an operator before it runs."""

    __slots__ = ("answers", "call", "copies", "fresh", "in_place", "name", "own", "resizes", "view")

    def __init__(self, func: Any) -> None:
        schema = func._schema
        returns = [each.alias_info for each in schema.returns]
        self.name = schema.name.removeprefix("aten::")
        self.call = func._op
        self.view = bool(returns) and all(alias is not None and not alias.is_write for alias in returns)
        self.fresh = any(alias is None for alias in returns)
        self.in_place = schema.name.endswith("_") and bool(returns) and not self.fresh
        self.answers = schema.name in ANSWERS
        self.copies = schema.name in COPIES
        self.resizes = schema.name in RESIZES
        self.own: Callable[..., Any] | None = fused.OPERATORS.get(schema.name)
        if self.own is not None:
            self.call = self.own
        if schema.name == "aten::detach":
            self.call = detached(self.call)
        if schema.name == "aten::_unsafe_view" or schema.name == "aten::_reshape_alias":
            self.view = True


class Operators(dispatch.TorchDispatchMode):
    """The dispatch mode of one rank."""

    def __init__(self, rank: Any, link: float) -> None:
        super().__init__()
        self.rank = rank
        self.plans: dict[Any, Plan] = {}
        self.waiting = rank.pending.of_storage
        self.on = rank.storages.on
        self.streams = rank.streams
        self.device = rank.device
        self.prices = rank.prices
        self.launch = rank.prices.launch_picoseconds
        self.picoseconds_a_byte = 1e12 / link
        self.compute = fused.Half().run
        """Does an operator: func, what is called for it, arguments."""
        self.off = False
        self.to_host = False
        """The next copy goes to the host."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        plan = self.plans.get(func)
        if plan is None:
            plan = self.plans[func] = Plan(func)
        if kwargs is None:
            kwargs = NOTHING
        if plan.view or self.off:
            if not self.off:
                self.prices.kernels(func, args, kwargs, None)
                self.device.pass_host(self.prices.view_picoseconds)
            return plan.call(*args, **kwargs)
        return self.run(plan, func, args, kwargs)

    def run(self, plan: Plan, func: Any, args: Any, kwargs: Any) -> Any:
        keys = []
        meta = False
        for each in args:
            if isinstance(each, Tensor):
                keys.append(storage_key(each))
                meta = meta or each.is_meta
            elif type(each) is list or type(each) is tuple:
                keys.extend(storage_key(one) for one in each if isinstance(one, Tensor))
        device = -1
        if kwargs:
            for each in kwargs.values():
                if isinstance(each, Tensor):
                    keys.append(storage_key(each))
            place = kwargs.get("device")
            if place is not None:
                if place.type == "cuda":
                    device = self.index_of(place)
                    kwargs = {**kwargs, "device": CPU}
                meta = meta or place.type == "meta"
            if kwargs.get("pin_memory"):
                kwargs = {**kwargs, "pin_memory": None}
        if meta:
            return plan.call(*args, **kwargs)
        if self.waiting:
            later = self.wait_or_defer(plan, func, args, kwargs, keys)
            if later is not None:
                return later
        storages = self.rank.storages
        came_from_host = False
        if storages.everything:
            device = 0
        else:
            source = -1
            for key in keys:
                stored = self.on.get(key)
                if stored is not None:
                    source = stored.device
                    break
            came_from_host = plan.copies and self.is_host_copy(device, source, args, keys)
            if device < 0:
                device = source
        if device < 0:
            out = self.compute(func, plan.call, args, kwargs)
            self.device.pass_host(self.launch)
            return out
        out = self.compute(func, plan.call, args, kwargs)
        self.charge(plan, func, args, kwargs, out, device, came_from_host)
        return out

    def run_unseen(self, plan: Plan, func: Any, args: Any, kwargs: Any, out: Tensor | None = None) -> None:
        """Run an operator later than the script has asked for it: once, whether or not another one is running."""
        guard = torch._C._DisableTorchDispatch()
        try:
            found = self.run(plan, func, args, kwargs)
            if out is not None:
                out.copy_(found)
        finally:
            del guard

    def index_of(self, place: torch.device) -> int:
        self.rank.storages.begin_devices()
        return place.index if place.index is not None else torch.cuda.current_device()

    def is_host_copy(self, target: int, source: int, args: Any, keys: list[int]) -> bool:
        """Whether a copy goes between host and GPU."""
        if len(keys) == 2:
            return (keys[0] in self.on) != (keys[1] in self.on)
        return (target >= 0 and source < 0) or self.to_host

    def charge(self, plan: Plan, func: Any, args: Any, kwargs: Any, out: Any, device: int, by_link: bool) -> None:
        """What an operator on the GPU has taken: memory and time."""
        rank = self.rank
        if plan.fresh:
            if isinstance(out, Tensor):
                if not self.to_host and out.layout is torch.strided:
                    rank.storages.add(out, device)
            elif out is not None:
                for each in out if isinstance(out, (tuple, list)) else ():
                    if isinstance(each, Tensor) and each.layout is torch.strided:
                        rank.storages.add(each, device)
        elif plan.resizes:
            rank.storages.resized(out._storage())
        stream = self.streams.current
        if stream is not self.streams.main:
            if not by_link and not plan.answers and stream.runs_beside:
                made = out if isinstance(out, (Tensor, tuple, list)) else None
                for _, picoseconds in self.prices.kernels(func, args, kwargs, made):
                    stream.launch_beside(picoseconds)
                return
            stream.behind_main = True
        device_of_rank = self.device
        if by_link:
            size = out.numel() * out.element_size()
            device_of_rank.kernel(rank.label("copy"), round(size * self.picoseconds_a_byte))
        else:
            made = out if isinstance(out, (Tensor, tuple, list)) else None
            for label, picoseconds in self.prices.kernels(func, args, kwargs, made):
                device_of_rank.kernel(rank.label(label) if rank.ranges else label, picoseconds)
        if plan.answers or (by_link and self.to_host):
            self.end_chains()
            device_of_rank.synchronize()

    def end_chains(self) -> None:
        """Charge what torch.compile would have fused up to here."""
        if self.prices.compiled:
            for label, picoseconds in self.prices.flush():
                self.device.kernel(self.rank.label(label), picoseconds)

    def wait_or_defer(self, plan: Plan, func: Any, args: Any, kwargs: Any, keys: list[int]) -> Tensor | None:
        """Join what writes to the memory of these tensors; or, on a side stream, leave the operator for later.

        A GPU does it beside the computing, behind the collective. Here it runs once the main stream has come to it, if its
        result can be made before: that of an operator in place, or of a copy. Returns that result.
        """
        waiting = self.waiting
        behind = [key for key in keys if key in waiting]
        if not behind:
            return None
        pending = self.rank.pending
        if self.streams.current is not self.streams.main and (plan.in_place or plan.copies):
            last = waiting[behind[-1]][-1]
            for key in behind:
                while key in waiting and waiting[key][0] is not last:
                    pending.join(waiting[key][0])
            if not last.joined:
                out: Tensor = args[0]
                args = [data.alias(each) if isinstance(each, Tensor) else each for each in args]
                if plan.in_place:
                    last.later.append(lambda: self.run_unseen(plan, func, args, kwargs))
                else:
                    out = torch.empty_like(args[0], dtype=kwargs.get("dtype"))
                    device = max((self.on[key].device for key in keys if key in self.on), default=0)
                    self.rank.storages.add(out, device)
                    made = data.alias(out)
                    last.later.append(lambda: self.run_unseen(plan, func, args, kwargs, made))
                    keys = [*keys, storage_key(out)]
                pending.hold(last, keys)
                return out
        for key in behind:
            pending.touch_storage(key)
        return None


class Top:
    """What C++ calls: the mode itself, at half the cost of PyTorch's stack of modes, as long as it is alone on it."""

    def __init__(self, mode: Operators, stack: Any) -> None:
        self.mode = mode
        self.stack = stack

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if torch._C._len_torch_dispatch_stack() == 1:
            return self.mode.__torch_dispatch__(func, types, args, kwargs)
        return self.stack.__torch_dispatch__(func, types, args, kwargs)


@contextlib.contextmanager
def running(mode: Operators) -> Iterator[None]:
    """The script runs in here; what it has left under way has ended at the end."""
    with mode:
        torch._C._set_torch_dispatch_mode(Top(mode, dispatch._TorchDispatchStackMode()))
        yield
    mode.rank.pending.join_all()
    mode.end_chains()


def install(rank: Any) -> contextlib.AbstractContextManager[None]:
    from ..cuda import host_link

    mode = Operators(rank, host_link(rank.machine.name))
    rank.operators = mode

    def stop() -> None:
        mode.off = True

    # A worker of the rank's DataLoader works for the host.
    os.register_at_fork(after_in_child=stop)
    return running(mode)
