"""Transformers' Trainer: its arguments, its accelerator and the config of its model."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import accelerate, hugging_face
from .living import Living, is_a, version_of
from .value import Layout, Recognised

TRAINER = "transformers.trainer.Trainer"
CLASSES = (TRAINER, *accelerate.CLASSES)


def precision_of(args: Any, layout: Layout) -> str | None:
    if args.bf16 or args.fp16:
        return "bf16" if args.bf16 else "fp16"
    if layout.precision == "fp32" and getattr(args, "tf32", False):
        return None
    return layout.precision


def layout_of(args: Any, layout: Layout) -> Layout:
    """The accelerator's layout, completed by the arguments."""
    micro_batch = int(args.per_device_train_batch_size)
    accumulated = int(args.gradient_accumulation_steps)
    return dataclasses.replace(
        layout,
        micro_batch=micro_batch,
        global_batch=None if layout.dp is None else layout.dp * micro_batch * accumulated,
        precision=precision_of(args, layout),
        recompute="full" if args.gradient_checkpointing else layout.recompute,
        fusion="compiled" if args.torch_compile else layout.fusion,
    )


def recognise(living: Living, world: int) -> tuple[Recognised, Any] | None:
    trainer = living.last(TRAINER)
    if trainer is None:
        return None
    model = trainer.model
    known = hugging_face.of_models([model]) if is_a(model, hugging_face.MODEL) else hugging_face.hugging_face(living)
    layout, beside, notes = accelerate.described(living, world, trainer.accelerator, known)
    layout = layout_of(trainer.args, layout)
    return Recognised("Transformers", version_of("transformers"), beside, layout, known.model, None, notes), known.module
