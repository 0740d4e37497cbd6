"""NumPy arrays of hollow numbers."""

from __future__ import annotations

import functools
import importlib
from typing import Any


@functools.cache
def array_class() -> Any:
    """An object array whose elements pass a script's checks of its losses, as hollow numbers do."""
    numpy: Any = importlib.import_module("numpy")
    answers = {numpy.isfinite: True, numpy.isnan: False, numpy.isinf: False}

    class HollowArray(numpy.ndarray):  # type: ignore[misc]
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **settings: Any) -> Any:
            if ufunc in answers and method == "__call__":
                return numpy.full(numpy.shape(inputs[0]), answers[ufunc])
            if out is not None:
                settings["out"] = tuple(plain(each) for each in out)
            return still_hollow(getattr(ufunc, method)(*(plain(each) for each in inputs), **settings))

        def __array_function__(self, *call: Any) -> Any:
            return still_hollow(super().__array_function__(*call))

    def plain(value: Any) -> Any:
        return value.view(numpy.ndarray) if isinstance(value, HollowArray) else value

    def still_hollow(made: Any) -> Any:
        return made.view(HollowArray) if isinstance(made, numpy.ndarray) and made.dtype == object else made

    return HollowArray


def filled(like: Any, number: Any) -> Any:
    """An array of that shape filled with the number."""
    made = like.astype(object).view(array_class())
    made.fill(number)
    return made
