"""Plain PyTorch: the layout from its wrappers, and the Transformers model that trains, if any."""

from __future__ import annotations

from typing import Any

from . import hugging_face, spread
from .living import Living, version_of
from .value import Layout, Recognised

MODULE, GRAPH = "torch.nn.Module", "torch.cuda.CUDAGraph"
CHECKPOINTED = "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.CheckpointWrapper"

CLASSES = (MODULE, GRAPH, CHECKPOINTED, *hugging_face.CLASSES, *spread.CLASSES)


def is_compiled(living: Living) -> bool:
    """Whether torch.compile was applied to a live module."""
    return any(getattr(each, "_compiled_call_impl", None) is not None for each in living.all(MODULE))


def layout_of(living: Living, known: hugging_face.HuggingFace, world: int) -> Layout:
    """The known part of the layout: other axes are certain to be unused only if data parallelism spans all ranks."""
    how = spread.spread_of(living)
    dp = 1 if world == 1 else how.reduced
    others = 1 if dp == world else None
    return Layout(
        dp=dp,
        tp=others,
        pp=others,
        cp=others,
        ep=others,
        zero=0 if world == 1 and how.zero is None else how.zero,
        shard=how.shard(dp),
        reshard_after_forward=how.reshard_after_forward if how.zero == 3 else None,
        recompute="full" if living.all(CHECKPOINTED) else known.recompute,
        # Autocast is active only inside its block, so parameters do not show it.
        precision=how.precision or (known.dtype if known.dtype not in ("fp32", None) else None),
        optimizer=spread.optimizer_of(living),
        fusion="compiled" if is_compiled(living) else "eager",
        cuda_graphs="full" if living.all(GRAPH) else "none",
        flash_attention=known.flash,
        fp32_gradients=hugging_face.fp32_gradients(known),
        offload_optimizer=how.offload or None,
    )


def recognise(living: Living, world: int) -> tuple[Recognised, Any] | None:
    """A Transformers model in a custom training loop."""
    known = hugging_face.hugging_face(living)
    if known.module is None:
        return None
    layout = layout_of(living, known, world)
    notes = (*known.notes, *hugging_face.note_of_states(known))
    return Recognised("PyTorch", version_of("torch"), ("Transformers",), layout, known.model, None, notes), known.module
