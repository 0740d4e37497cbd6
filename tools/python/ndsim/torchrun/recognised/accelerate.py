"""Accelerate: its Accelerator, whose state tells how a model is sharded, and its plugins for FSDP and DeepSpeed."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import deepspeed, hugging_face, spread
from .living import Living, version_of
from .value import Layout, Recognised

ACCELERATOR = "accelerate.accelerator.Accelerator"
CLASSES = (ACCELERATOR, *deepspeed.CLASSES)

PRECISIONS = {"bf16": "bf16", "fp16": "fp16", "fp8": "fp8"}


def degrees_of(accelerator: Any, world: int) -> tuple[int, int, int, int]:
    """Data-, tensor- and context-parallel sizes, and that of DeepSpeed's sequence parallelism (Ulysses)."""
    config = getattr(accelerator, "parallelism_config", None)
    if config is None:
        return world, 1, 1, 1
    tensor, context, ulysses = (int(getattr(config, name, None) or 1) for name in ("tp_size", "cp_size", "sp_size"))
    return world // (tensor * context * ulysses), tensor, context, ulysses


def is_compiled(accelerator: Any) -> bool:
    plugin = getattr(accelerator.state, "dynamo_plugin", None)
    backend = getattr(plugin, "backend", None)
    return str(getattr(backend, "value", backend)).lower() == "inductor"


def recompute_of(accelerator: Any, known: hugging_face.HuggingFace) -> str | None:
    plugin = getattr(accelerator.state, "fsdp_plugin", None)
    return "full" if getattr(plugin, "activation_checkpointing", False) else known.recompute


def layout_of(accelerator: Any, living: Living, known: hugging_face.HuggingFace, world: int) -> Layout:
    """Everything but the batch, which the training loop determines."""
    dp, tensor, context, ulysses = degrees_of(accelerator, world)
    how = spread.spread_of(living)
    mixed = str(accelerator.mixed_precision)
    return Layout(
        dp=dp,
        tp=tensor,
        # Accelerate allows one of the two.
        cp=context * ulysses,
        cp_comm_type="a2a" if ulysses > 1 else None,
        # A world of one rank shards nothing.
        zero=0 if how.zero is None and dp == 1 else how.zero,
        shard=how.shard(dp * context * ulysses),
        reshard_after_forward=how.reshard_after_forward if how.zero == 3 else None,
        recompute=recompute_of(accelerator, known),
        precision=PRECISIONS.get(mixed) or how.precision or known.dtype or hugging_face.dtype_of(list(accelerator._models)),
        optimizer=spread.optimizer_of(living),
        fusion="compiled" if is_compiled(accelerator) else "eager",
        flash_attention=known.flash,
        fp32_gradients=hugging_face.fp32_gradients(known),
        offload_optimizer=how.offload or None,
    )


def with_engine(layout: Layout, engine: Any, living: Living, known: hugging_face.HuggingFace) -> Layout:
    """A layout from another framework, completed by DeepSpeed's engine; the training loop is DeepSpeed's."""
    said = deepspeed.layout_of(engine, living, known)
    return dataclasses.replace(said, fusion=layout.fusion, recompute=layout.recompute)


def described(
    living: Living, world: int, accelerator: Any, known: hugging_face.HuggingFace
) -> tuple[Layout, tuple[str, ...], tuple[str, ...]]:
    """The layout of an accelerator, the libraries used with it, and notes about it."""
    layout = layout_of(accelerator, living, known, world)
    engine = living.last(deepspeed.ENGINE)
    if engine is not None:
        return with_engine(layout, engine, living, known), ("DeepSpeed",), known.notes
    return layout, (), (*known.notes, *hugging_face.note_of_states(known))


def recognise(living: Living, world: int) -> tuple[Recognised, Any] | None:
    accelerator = living.last(ACCELERATOR)
    if accelerator is None:
        return None
    known = hugging_face.hugging_face(living)
    layout, beside, notes = described(living, world, accelerator, known)
    return Recognised("Accelerate", version_of("accelerate"), beside, layout, known.model, None, notes), known.module
