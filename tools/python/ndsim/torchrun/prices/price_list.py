"""The price list says what each operator of PyTorch costs on the simulated GPU, and counts what was bought.

An operator is priced once for each signature: its tensors' shapes and types, and the numbers that its kind asks for. With
`compiled` the operators that torch.compile fuses are collected in chains, and charged when a chain ends.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..._ndsim import OperatorTimes
from ..arguments import tensors_in
from . import dropout
from .bill import Bill, Entry
from .calls import Call, Operator
from .chains import Chain, Chains
from .kinds import FP32_UNDER_AUTOCAST, FUSED, Kind, kind_of
from .precision import Autocast, Counted, convolutions_in_tf32, products_in_tf32
from .works import Works

Kernel = tuple[str, int]
"""A label, and how many picoseconds the GPU is busy."""

_FREE: tuple[Kernel, ...] = ()
_WITH_NUMBERS = frozenset(
    {Kind.CONVOLUTION, Kind.CONVOLUTION_BACKWARD, Kind.ATTENTION, Kind.ATTENTION_BACKWARD, Kind.LAYER}
)
_PRODUCTS = frozenset({Kind.PRODUCT, Kind.PRODUCTS}) | _WITH_NUMBERS
_Tensor = torch.Tensor


class _Rule:
    """All prices of one operator."""

    __slots__ = (
        "by_signature",
        "has_numbers",
        "is_free",
        "is_product",
        "kind",
        "makes_dropout",
        "name",
        "operator",
        "stays_wide",
        "views",
    )

    def __init__(self, func: Any) -> None:
        self.operator = Operator(func)
        self.name = self.operator.name
        self.kind = kind_of(func._schema.name)
        self.is_free = self.kind in (Kind.VIEW, Kind.ALLOCATE)
        self.is_product = self.kind in _PRODUCTS
        self.has_numbers = self.kind in _WITH_NUMBERS
        self.makes_dropout = self.name in dropout.NAMES
        self.stays_wide = self.name in FP32_UNDER_AUTOCAST
        self.by_signature: dict[tuple[Any, ...], Entry] = {}
        self.views = 0  # how often it cost the GPU nothing

    def call(self, args: Any, kwargs: Any, out: Any, counted: Counted) -> Call:
        return Call(self.operator, args, kwargs, out, counted.fp32 is not None and not self.stays_wide)


class PriceList:
    """What operators cost on one machine's GPU."""

    def __init__(self, machine: str, options: Any = None) -> None:
        version = getattr(options, "flash_attention", None)
        times = OperatorTimes(machine) if version is None else OperatorTimes(machine, version)
        self.launch_picoseconds: int = times.launch_picoseconds
        """What the host needs for an operator: for a kernel, and for a view."""
        self.compiled: bool = bool(getattr(options, "compiled", False))
        """Whether operators are priced as torch.compile fuses them."""
        self.is_on_host: Callable[[torch.Tensor], bool] | None = None
        """Tells the tensors that a script keeps on its host: operators whose result is one cost the GPU nothing."""
        self._works = Works(times)
        self._rules: dict[int, _Rule] = {}
        self._autocast = Autocast()
        self._bill = Bill()
        self._chains = Chains()
        self._dropout = dropout.Dropout()

    @property
    def view_picoseconds(self) -> int:
        """What the host needs for an operator without a kernel; nothing where torch.compile has done away with it."""
        return 0 if self.compiled else self.launch_picoseconds

    def watch_backward(self) -> None:
        """Once per process, before the script: autocast is then known in backward passes, too."""
        self._autocast.watch_backward()

    def price(self, func: Any, args: Any, kwargs: Any, out: Any) -> int:
        """How long the GPU is busy with what is to be charged now."""
        total = 0
        for _, picoseconds in self.kernels(func, args, kwargs, out):
            total += picoseconds
        return total

    def kernels(self, func: Any, args: Any, kwargs: Any, out: Any) -> tuple[Kernel, ...]:
        """The kernels that the host launches with this operator, in their order: none for a view.

        With `compiled` these are the chains that end with it, before its own, if it has one.
        """
        rule = self._rules.get(id(func))
        if rule is None:
            rule = self._rules[id(func)] = _Rule(func)
        if rule.is_free:
            rule.views += 1
            return _FREE
        if self.is_on_host is not None and self._is_of_host(args, out):
            return _FREE
        if rule.makes_dropout and self._dropout.is_absent(rule.name, args):
            rule.views += 1
            return _FREE
        counted = self._autocast.now()
        if self.compiled:
            return self._of_chains(rule, args, kwargs, out, counted)
        return self._entry(rule, args, kwargs, out, counted).bought()

    @contextlib.contextmanager
    def uncompiled(self) -> Iterator[None]:
        """What torch.compile leaves as it is: the optimizer's step of a script that compiles its model."""
        before, self.compiled = self.compiled, False
        try:
            yield
        finally:
            self.compiled = before

    def flush(self) -> tuple[Kernel, ...]:
        """What has not ended yet is charged now: before collectives, before the host waits, and at the end."""
        return self._charged(self._chains.end())

    def attention(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, is_causal: bool, is_backward: bool = False
    ) -> Kernel:
        """Attention in one kernel, for whoever carries it out as several operators, and charges none of them."""
        work = self._works.attention(query, key, value, is_causal, is_backward, self._autocast.now())
        label = "scaled_dot_product_attention" + ("_backward" if is_backward else "")
        [kernel] = self._bill.entry(label, work, is_guessed=False).bought()
        return kernel

    def bill(self) -> Bill:
        """All that was bought."""
        self._bill.views = sum(rule.views for rule in self._rules.values())
        return self._bill

    def table(self) -> list[dict[str, Any]]:
        """A row for each operator and way of pricing, the dearest first."""
        return self.bill().rows()

    @property
    def guessed(self) -> list[str]:
        """The operators that are not known, and were priced as memory traffic."""
        return sorted({row["operator"] for row in self.table() if row["guessed"]})

    def _entry(self, rule: _Rule, args: Any, kwargs: Any, out: Any, counted: Counted) -> Entry:
        key: list[Any] = [counted]
        for value in args if not kwargs else (*args, *kwargs.values()):
            if isinstance(value, _Tensor):
                key.append(value.shape)
                key.append(value.dtype)
            elif isinstance(value, (list, tuple)):
                for each in value:
                    if isinstance(each, _Tensor):
                        key.append(each.shape)
                        key.append(each.dtype)
                    elif rule.has_numbers:
                        key.append(each)
            elif rule.has_numbers:
                key.append(value)
        if isinstance(out, _Tensor):
            key.append(out.shape)
            key.append(out.dtype)
        elif out and isinstance(out[0], _Tensor):
            key.append(out[0].shape)
        if rule.is_product:
            key.append(products_in_tf32())
            key.append(convolutions_in_tf32())
            key.extend([each.is_contiguous() for each in args if isinstance(each, _Tensor)])
        signature = tuple(key)
        entry = rule.by_signature.get(signature)
        if entry is None:
            call = rule.call(args, kwargs, out, counted)
            work = self._works.of(rule.kind, call, counted)
            entry = self._bill.entry(rule.name, work, rule.kind is Kind.GUESSED)
            rule.by_signature[signature] = entry
        return entry

    def _of_chains(self, rule: _Rule, args: Any, kwargs: Any, out: Any, counted: Counted) -> tuple[Kernel, ...]:
        call = rule.call(args, kwargs, out, counted)
        if rule.kind in FUSED:
            return self._charged(self._chains.add(rule.kind, call))
        ended = self._charged(self._chains.alone(call))
        return ended + self._entry(rule, args, kwargs, out, counted).bought()

    def _charged(self, chains: list[Chain]) -> tuple[Kernel, ...]:
        kernels: tuple[Kernel, ...] = ()
        for chain in chains:
            work = self._works.memory(chain.bytes())
            kernels += self._bill.entry(chain.label(), work, is_guessed=False).bought()
        return kernels

    def _is_of_host(self, args: Any, out: Any) -> bool:
        assert self.is_on_host is not None
        tensor = next(tensors_in([out]), None)
        if tensor is None:
            tensor = next(tensors_in(args), None)
        return tensor is not None and self.is_on_host(tensor)
