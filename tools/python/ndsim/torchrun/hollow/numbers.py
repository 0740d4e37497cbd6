"""Numbers of a hollow run: whatever is computed with them, and however they are printed, they stay hollow.

Their value is nan, so that code which loses their hollowness does not show a plausible number. A script that asks for a plain
number, by `float(x)` or `int(x)`, continues with a made-up one, and the report names its line: a check that a loss is finite must
not end a run that computes none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import made_up

WORD = "hollow"
# Passes every check of a loss or a norm, and has a logarithm and an inverse.
SANE = 1.0

OF_TWO = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
OF_ONE = ("neg", "pos", "abs")


class HollowFloat(float):
    """A float that was never computed."""

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
        """Part of NumPy's number interface: the mean of an array calls it."""
        return self


class HollowInt(int):
    """An integer that was never computed: 0."""

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
    """Every comparison holds: a script's checks are about numbers that do not exist here."""
    return True


for kind in (HollowFloat, HollowInt):
    for comparison in ("lt", "le", "gt", "ge", "eq"):
        setattr(kind, f"__{comparison}__", passes)
    kind.__ne__ = lambda self, other: False  # type: ignore[assignment]
for each in OF_TWO:
    fill(HollowFloat, (each, "r" + each))
    fill(HollowInt, (each,))
    # The other number may be a float; then so is the result.
    setattr(HollowInt, f"__r{each}__", lambda self, other: (HollowFloat if isinstance(other, float) else HollowInt)())
HollowInt.__rtruediv__ = stays_hollow(HollowFloat)  # type: ignore[assignment]
fill(HollowFloat, OF_ONE)
fill(HollowInt, OF_ONE)


def hollow(value: Any) -> Any:
    """The value as a hollow number; a list element by element."""
    if isinstance(value, list):
        return [hollow(element) for element in value]
    if isinstance(value, float):
        return HollowFloat()
    if isinstance(value, int) and not isinstance(value, bool):
        return HollowInt()
    return value


def install_math() -> None:
    """Make hollow numbers pass a script's checks of its losses, and keep its results hollow."""
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
