"""The frameworks that are recognised, in the order in which they are looked for: who holds the others comes first."""

from __future__ import annotations

import dataclasses
from types import ModuleType
from typing import Any

from . import accelerate, deepspeed, hugging_face, lightning, litgpt, megatron, megatron_core, plain, torchtitan, transformers
from .living import Living
from .value import Layout, Recognised

ROWS: tuple[ModuleType, ...] = (
    megatron, torchtitan, megatron_core, litgpt, transformers, lightning, accelerate, deepspeed, plain,
)


@dataclasses.dataclass(frozen=True)
class Found:
    """What was recognised, and the module whose inputs say the rest."""

    recognised: Recognised | None = None
    model: Any = None
    plain: Layout | None = None
    """What the wrappers of plain PyTorch say, where nothing was recognised."""


def recognise(world: int) -> Found:
    """What lives in this process, of `world` ranks that do the same. Plain PyTorch is nothing that is recognised."""
    paths = sorted({path for row in ROWS for path in row.CLASSES})
    living = Living(paths)
    for row in ROWS:
        found = row.recognise(living, world)
        if found is not None:
            known, model = found
            return Found(compiled(known) if plain.is_compiled(living) else known, model)
    return Found(plain=plain.layout_of(living, hugging_face.HuggingFace(), world))


def compiled(known: Recognised) -> Recognised:
    """With torch.compile, which is called beside a framework's own options, too."""
    if known.layout.framework == "megatron":
        return known
    return dataclasses.replace(known, layout=dataclasses.replace(known.layout, fusion="compiled"))
