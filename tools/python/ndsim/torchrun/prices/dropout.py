"""Dropout is one kernel on a GPU; on a CPU, where the script really runs, PyTorch makes it of three operators.

They are bernoulli_ of new memory, div_ of that by the probability, and a product. The product is priced as the kernel that it
stands for; the first two are free, if the script did not ask for them.
"""

from __future__ import annotations

from typing import Any

_NOISE = "bernoulli"
_SCALE = "div"
NAMES = frozenset({_NOISE, _SCALE})


class Dropout:
    """Recognises the operators that a GPU does without."""

    def __init__(self) -> None:
        self._noise = 0  # where the last one lies

    def is_absent(self, name: str, args: Any) -> bool:
        """Whether this operator of NAMES is a part of dropout."""
        place = args[0].data_ptr()
        if name == _NOISE:
            self._noise = place if args[0].is_floating_point() else 0
            return self._noise != 0
        is_scale = place == self._noise and not hasattr(args[1], "shape")
        self._noise = 0
        return is_scale
