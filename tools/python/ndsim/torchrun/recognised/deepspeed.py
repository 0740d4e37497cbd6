"""DeepSpeed: its engine, whose config has the ZeRO stage, the batch and the offloading."""

from __future__ import annotations

from typing import Any

from . import hugging_face, spread
from .living import Living, is_a, version_of
from .value import Layout, Recognised

ENGINE = "deepspeed.runtime.engine.DeepSpeedEngine"
PIPELINE = "deepspeed.runtime.pipe.engine.PipelineEngine"
CLASSES = (ENGINE, *hugging_face.CLASSES, *spread.CLASSES)


def device_of(part: Any) -> str | None:
    """The offload target as named in DeepSpeed's config."""
    device = getattr(part, "device", None)
    return getattr(device, "value", device)


def precision_of(engine: Any) -> str:
    return "bf16" if engine.bfloat16_enabled() else "fp16" if engine.fp16_enabled() else "fp32"


def layout_of(engine: Any, living: Living, known: hugging_face.HuggingFace) -> Layout:
    """The engine's layout. Its sequence parallelism is Ulysses'."""
    dp, micro_batch = int(engine.dp_world_size), int(engine.train_micro_batch_size_per_gpu())
    ulysses = int(getattr(engine, "sequence_parallel_size", 1) or 1)
    device = device_of(engine.zero_offload_optimizer())
    mics = int(getattr(engine, "mics_shard_size", lambda: -1)())
    return Layout(
        dp=dp,
        tp=int(engine.mp_world_size),
        pp=int(engine.num_stages) if is_a(engine, PIPELINE) else 1,
        cp=ulysses,
        cp_comm_type="a2a" if ulysses > 1 else None,
        micro_batch=micro_batch,
        global_batch=dp * micro_batch * int(engine.gradient_accumulation_steps()),
        zero=int(engine.zero_optimization_stage()),
        shard=mics if 0 < mics < dp * ulysses else None,
        recompute=known.recompute,
        precision=precision_of(engine),
        optimizer=spread.optimizer_of(living),
        framework="deepspeed",
        flash_attention=known.flash,
        overlap_gradients=bool(engine.zero_overlap_comm()) if engine.zero_optimization_stage() else None,
        offload_optimizer=True if device in ("cpu", "nvme") else None,
    )


def recognise(living: Living, world: int) -> tuple[Recognised, Any] | None:
    engine = living.last(ENGINE)
    if engine is None:
        return None
    known = hugging_face.hugging_face(living)
    layout = layout_of(engine, living, known)
    return Recognised("DeepSpeed", version_of("deepspeed"), (), layout, known.model, None, known.notes), known.module
