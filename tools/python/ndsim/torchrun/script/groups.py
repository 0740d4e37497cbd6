"""Optimizers that step one parameter group at a time, like DeepSpeed's ZeRO: all groups together are one step."""

from __future__ import annotations

import weakref
from typing import Any

_begun: weakref.WeakKeyDictionary[Any, list[weakref.ref[Any]]] = weakref.WeakKeyDictionary()
"""The first parameter of each group that has stepped in the current step, by optimizer."""


def begins_step(optimizer: Any) -> bool:
    """Whether a call of this optimizer begins a step: the first of its groups, or all parameters at once."""
    first = next((each for group in optimizer.param_groups for each in group["params"]), None)
    if first is None:
        return True
    begun = _begun.setdefault(optimizer, [])
    if begun and not any(each() is first for each in begun):
        begun.append(weakref.ref(first))
        return False
    # A group that comes again belongs to the next step.
    begun[:] = [weakref.ref(first)]
    return True
