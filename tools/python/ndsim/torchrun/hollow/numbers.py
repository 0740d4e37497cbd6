"""Numbers of a hollow run: whatever is computed with them, and however they are printed, they stay hollow.

Their value is no number (nan), so what forgets that they are hollow does not show a number either. A script that asks for a bare number,
by `float(x)` or `int(x)`, goes on with one that was made up, and is told so with its line: a check that a loss is finite must not end a
run that computes none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import made_up

WORD = "hollow"
# No check of a loss or a norm finds anything wrong with it, and it has a logarithm and an inverse.
SANE = 1.0

OF_TWO = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
OF_ONE = ("neg", "pos", "abs")


class HollowFloat(float):
    """A real number that was never computed."""

    def __new__(cls) -> HollowFloat:
        return super().__new__(cls, math.nan)

    def __repr__(self) -> str:
        return WORD

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return WORD

    def __float__(self) -> float:
        return made_up.reported("float()", SANE)

    def __int__(self) -> int:
        return made_up.reported("int()", 0)

    __trunc__ = __floor__ = __ceil__ = __int__

    def __bool__(self) -> bool:
        return made_up.reported("bool()", False)

    def __reduce__(self) -> Any:
        return (HollowFloat, ())

    __hash__ = float.__hash__

    def __round__(self, digits: Any = None) -> Any:
        return self

    def item(self) -> HollowFloat:
        """As NumPy's numbers have it: a mean of an array is asked for it."""
        return self


class HollowInt(int):
    """A whole number that was never computed: 0."""

    def __new__(cls) -> HollowInt:
        return super().__new__(cls, 0)

    def __repr__(self) -> str:
        return WORD

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return WORD

    def __reduce__(self) -> Any:
        return (HollowInt, ())

    def item(self) -> HollowInt:
        return self

    __hash__ = int.__hash__


def stays_hollow(kind: type[Any]) -> Callable[..., Any]:
    def operation(self: Any, *others: Any) -> Any:
        return kind()

    return operation


def fill(kind: type[Any], names: tuple[str, ...]) -> None:
    for name in names:
        setattr(kind, f"__{name}__", stays_hollow(HollowFloat if name == "truediv" else kind))


def passes(self: Any, other: Any) -> bool:
    """Whatever a script asks of a hollow number, it gets: its checks are about numbers that are not there."""
    return True


for kind in (HollowFloat, HollowInt):
    for comparison in ("lt", "le", "gt", "ge", "eq"):
        setattr(kind, f"__{comparison}__", passes)
    kind.__ne__ = lambda self, other: False  # type: ignore[assignment]
for each in OF_TWO:
    fill(HollowFloat, (each, "r" + each))
    fill(HollowInt, (each,))
    # Another number may be real: then the result is.
    setattr(HollowInt, f"__r{each}__", lambda self, other: (HollowFloat if isinstance(other, float) else HollowInt)())
HollowInt.__rtruediv__ = stays_hollow(HollowFloat)  # type: ignore[assignment]
fill(HollowFloat, OF_ONE)
fill(HollowInt, OF_ONE)


def hollow(value: Any) -> Any:
    """The same as a hollow number: of a list, each of its elements."""
    if isinstance(value, list):
        return [hollow(element) for element in value]
    if isinstance(value, float):
        return HollowFloat()
    if isinstance(value, int) and not isinstance(value, bool):
        return HollowInt()
    return value


def install_math() -> None:
    """What a script asks of its losses, hollow ones pass; what it makes of them, stays hollow."""
    for name, answer in (("isnan", False), ("isinf", False), ("isfinite", True)):
        setattr(math, name, asked(getattr(math, name), answer))
    for name in ("exp", "log", "log2", "log10", "sqrt"):
        setattr(math, name, asked(getattr(math, name), None))


def asked(real: Callable[..., Any], answer: Any) -> Callable[..., Any]:
    def ask(value: Any, *rest: Any) -> Any:
        if type(value) in (HollowFloat, HollowInt):
            return HollowFloat() if answer is None else answer
        return real(value, *rest)

    ask.__name__ = real.__name__
    return ask
