"""Lightning: its Trainer or Fabric, and its strategy."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import deepspeed, hugging_face, spread
from .living import Living, version_of
from .value import Layout, Recognised

TRAINERS = ("lightning.pytorch.trainer.trainer.Trainer", "pytorch_lightning.trainer.trainer.Trainer")
FABRICS = ("lightning.fabric.fabric.Fabric", "lightning_fabric.fabric.Fabric")
CLASSES = (*TRAINERS, *FABRICS, *deepspeed.CLASSES)

PRECISIONS = {"32": "fp32", "16": "fp16", "bf16": "bf16", "transformer": "fp8"}


def precision_of(strategy: Any) -> str | None:
    """Precision from '32-true', 'bf16-mixed' and the like."""
    plugin = getattr(strategy, "precision_plugin", None) or strategy.precision
    return PRECISIONS.get(str(plugin.precision).partition("-")[0])


def degrees_of(strategy: Any, world: int) -> tuple[int, int]:
    """Data- and tensor-parallel sizes: ModelParallelStrategy has a mesh of both."""
    tensor = getattr(strategy, "_tensor_parallel_size", 1)
    tensor = tensor if isinstance(tensor, int) else 1
    return world // tensor, tensor


def layout_of(strategy: Any, living: Living, known: hugging_face.HuggingFace, world: int) -> Layout:
    """Everything but the batch, which the loader determines."""
    dp, tensor = degrees_of(strategy, world)
    how = spread.spread_of(living)
    recomputes = bool(getattr(strategy, "_activation_checkpointing_kwargs", None))
    return Layout(
        dp=dp,
        tp=tensor,
        zero=0 if how.zero is None and world == 1 else how.zero,
        shard=how.shard(dp),
        reshard_after_forward=how.reshard_after_forward if how.zero == 3 else None,
        recompute="full" if recomputes else known.recompute,
        precision=precision_of(strategy),
        optimizer=spread.optimizer_of(living),
        flash_attention=known.flash,
        fp32_gradients=hugging_face.fp32_gradients(known),
        offload_optimizer=how.offload or None,
    )


def described(
    living: Living, strategy: Any, known: hugging_face.HuggingFace, world: int
) -> tuple[Layout, tuple[str, ...], tuple[str, ...]]:
    """The layout of a strategy, the libraries used with it, and notes about it."""
    engine = living.last(deepspeed.ENGINE)
    layout = layout_of(strategy, living, known, world)
    if engine is not None:
        said = deepspeed.layout_of(engine, living, known)
        return dataclasses.replace(said, micro_batch=None, global_batch=None), ("DeepSpeed",), known.notes
    return layout, (), (*known.notes, *hugging_face.note_of_states(known))


def accumulating(layout: Layout, trainer: Any) -> Layout:
    """Adds the batch of Lightning's Trainer, if its loader has one."""
    size = getattr(getattr(trainer, "train_dataloader", None), "batch_size", None)
    if not isinstance(size, int) or layout.dp is None:
        return layout
    accumulated = int(trainer.accumulate_grad_batches)
    return dataclasses.replace(layout, micro_batch=size, global_batch=size * layout.dp * accumulated)


def last_of(living: Living, paths: tuple[str, ...]) -> Any:
    return next((each for each in map(living.last, paths) if each is not None), None)


def recognise(living: Living, world: int) -> tuple[Recognised, Any] | None:
    trainer, fabric = last_of(living, TRAINERS), last_of(living, FABRICS)
    if trainer is None and fabric is None:
        return None
    known = hugging_face.hugging_face(living)
    strategy = fabric.strategy if trainer is None else trainer.strategy
    layout, beside, notes = described(living, strategy, known, world)
    if trainer is not None:
        layout = accumulating(layout, trainer)
    name = "Fabric" if trainer is None else "Lightning"
    version = version_of("lightning") or version_of("pytorch_lightning") or version_of("lightning_fabric")
    return Recognised(name, version, beside, layout, known.model, None, notes), known.module
