"""The recognised frameworks, in the order in which they are tried: outer ones before those they wrap."""

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
    """The recognised framework, and the module whose inputs complete it."""

    recognised: Recognised | None = None
    model: Any = None
    plain: Layout | None = None
    """The layout from plain PyTorch's wrappers if no framework was recognised."""


def recognise(world: int) -> Found:
    """Recognise what trains in this process, one of `world` equal ranks. Plain PyTorch alone is not a framework."""
    paths = sorted({path for row in ROWS for path in row.CLASSES})
    living = Living(paths)
    for row in ROWS:
        found = row.recognise(living, world)
        if found is not None:
            known, model = found
            return Found(compiled(known) if plain.is_compiled(living) else known, model)
    return Found(plain=plain.layout_of(living, hugging_face.HuggingFace(), world))


def compiled(known: Recognised) -> Recognised:
    """With torch.compile, which may be called outside a framework's own options."""
    if known.layout.framework == "megatron":
        return known
    return dataclasses.replace(known, layout=dataclasses.replace(known.layout, fusion="compiled"))
