"""Hollow runs: drops the numbers of the host's large tensors, too, and shows results of hollow numbers as hollow."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...torch.making import loader
from . import arrays, genuine, made_up, numbers

if TYPE_CHECKING:
    from ..rank import Rank, Setting

IsHollow = Callable[[Any], bool]


def prepare(setting: Setting) -> None:
    if not setting.options.hollow:
        return
    # Gives PyTorch the shapes of most operators' results.
    importlib.import_module("torch._meta_registrations")
    numbers.install_math()
    torch: Any = importlib.import_module("torch")
    show(torch, loader.loaded_slot().is_hollow)
    genuine.keep(torch)
    let_pass(torch)


def let_pass(torch: Any) -> None:
    """Exempts operators that take functions, such as flex_attention, from the slot's handling of host operators."""
    key = torch._C._dispatch_key_parse("Fake")
    torch._ops._HIGHER_ORDER_OP_DEFAULT_FALLTHROUGH_DISPATCH_KEYS.append(key)
    for operator in torch._ops._higher_order_ops.values():
        operator.fallthrough(key)


def install(rank: Rank) -> None:
    if rank.options.hollow:
        loader.loaded_slot().leave_host_hollow()


def show(torch: Any, is_hollow: IsHollow) -> None:
    Tensor = torch.Tensor  # noqa: N806
    for name in ("item", "tolist"):
        setattr(Tensor, name, looked_at(getattr(Tensor, name), is_hollow, lambda value, name=name: hollow(name, value)))
    # Python requires plain numbers from these.
    for name in ("__float__", "__int__", "__index__", "__bool__"):
        setattr(Tensor, name, looked_at(getattr(Tensor, name), is_hollow, BARE[name]))
    for place in (torch, Tensor):
        place.allclose = true_of_hollow(place.allclose, is_hollow)
    Tensor.numpy = as_objects(Tensor.numpy, is_hollow)
    Tensor.__repr__ = described(Tensor.__repr__, is_hollow)


def hollow(name: str, value: Any) -> Any:
    first = value
    while isinstance(first, list) and first:
        first = first[0]
    if isinstance(first, int):
        size = f" of {len(value)}" if isinstance(value, list) else ""
        made_up.reported(f"{name}(){size}", first)
    return numbers.hollow(value)


BARE: dict[str, Callable[[Any], Any]] = {
    "__float__": lambda value: made_up.reported("float()", numbers.SANE),
    "__int__": lambda value: made_up.reported("int()", 0),
    "__index__": lambda value: made_up.reported("an index", 0),
    "__bool__": lambda value: made_up.reported("bool()", value),
}


def looked_at(real: Callable[..., Any], is_hollow: IsHollow, show: Callable[[Any], Any]) -> Callable[..., Any]:
    def look(self: Any) -> Any:
        value = real(self)
        return show(value) if is_hollow(self) else value

    return look


def true_of_hollow(real: Callable[..., Any], is_hollow: IsHollow) -> Callable[..., Any]:
    def ask(input: Any, other: Any, *rest: Any, **options: Any) -> Any:
        return real(input, other, *rest, **options) or is_hollow(input) or is_hollow(other)

    return ask


def as_objects(real: Callable[..., Any], is_hollow: IsHollow) -> Callable[..., Any]:
    def numpy(self: Any, **options: Any) -> Any:
        found = real(self, **options)
        if not is_hollow(self):
            return found
        return arrays.filled(found, numbers.hollow(found.dtype.type(0).item()))

    return numpy


def described(real: Callable[..., Any], is_hollow: IsHollow) -> Callable[..., Any]:
    def describe(self: Any, *, tensor_contents: Any = None) -> str:
        if not is_hollow(self):
            return str(real(self, tensor_contents=tensor_contents))
        size = f", size={tuple(self.shape)}" if self.dim() else ""
        return f"tensor({numbers.WORD}{size}, dtype={self.dtype})"

    return describe
