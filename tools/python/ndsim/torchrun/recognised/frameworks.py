"""The frameworks that are recognised, in the order in which they are looked for: who holds the others comes first."""

from __future__ import annotations

import dataclasses
from types import ModuleType
from typing import Any

from . import accelerate, deepspeed, lightning, litgpt, megatron, megatron_core, torchtitan, transformers
from .living import Living
from .value import Recognised

ROWS: tuple[ModuleType, ...] = (megatron, torchtitan, megatron_core, litgpt, transformers, lightning, accelerate, deepspeed)


@dataclasses.dataclass(frozen=True)
class Found:
    """What was recognised, and the module whose inputs say the rest."""

    recognised: Recognised | None = None
    model: Any = None


def recognise(world: int) -> Found:
    """What lives in this process, of `world` ranks that do the same. Plain PyTorch is nothing that is recognised."""
    paths = sorted({path for row in ROWS for path in row.CLASSES})
    living = Living(paths)
    for row in ROWS:
        found = row.recognise(living, world)
        if found is not None:
            return Found(*found)
    return Found()
