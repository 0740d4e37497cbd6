"""torchtitan: its trainer, which holds the job config, the parallel dimensions and the model config."""

from __future__ import annotations

from typing import Any

from . import spread
from .living import Living, version_of
from .value import Layout, Model, Recognised, toml_model

TRAINER = "torchtitan.trainer.Trainer"
CLASSES = (TRAINER, *spread.CLASSES)

SCHEDULES = {"GPipe": "gpipe", "1F1B": "1f1b", "Interleaved1F1B": "interleaved"}
"""Schedules that `ndsim train` also has."""

QUANTISED = (
    ("torchtitan.components.quantization.float8", "fp8"),
    ("torchtitan.components.quantization.mx", "mxfp8"),
    ("torchtitan.components.quantization.nvfp4", "nvfp4"),
)


def recompute_of(config: Any) -> str | None:
    what = config.activation_checkpoint
    mode = getattr(what, "mode", None)
    if mode is not None:
        return mode if mode in ("none", "full", "selective") else None
    # A configuration is the class Config inside the class that it configures.
    made = type(what).__qualname__.partition(".")[0]
    if what is None or made in ("ActivationCheckpointing", "NoAC"):
        return "none"
    return {"FullAC": "full", "SelectiveAC": "selective"}.get(made)


def dialect_of(trainer: Any) -> str:
    """The unit of its batches: sequences up to 0.3, tokens since."""
    return "sequences" if hasattr(trainer.config.training, "local_batch_size") else "tokens"


def tokens_of(trainer: Any, dp: int) -> tuple[int | None, int | None, int]:
    """Sequences per micro-batch, their length, and tokens per step of the whole world."""
    training, parallelism = trainer.config.training, trainer.config.parallelism
    accumulated = trainer.gradient_accumulation_steps
    stages = trainer.parallel_dims.pp
    if dialect_of(trainer) == "sequences":
        local, sequence = training.local_batch_size, training.seq_len
        size = getattr(parallelism, "pipeline_parallel_microbatch_size", 1) if stages > 1 else local
        return size, sequence, local * sequence * accumulated * dp
    # Documents are packed into rows of tokens, as long as the maximum context.
    slots, sequence = training.num_tokens_per_microbatch_per_dp_rank, training.max_context_length
    in_pipeline = parallelism.num_pp_microbatches if stages > 1 else 1
    size = slots // sequence if slots % sequence == 0 else None
    return size, sequence, slots * in_pipeline * accumulated * dp


def precision_of(trainer: Any, how: spread.Spread) -> str | None:
    """Matmul precision: a quantised linear layer comes from a module of its own."""
    for module in trainer.model_parts[0].modules():
        made = type(module).__module__
        for package, name in QUANTISED:
            if made == package:
                return name
    if how.precision is not None:
        return how.precision
    training = trainer.config.training
    spreads = trainer.parallel_dims.dp_shard > 1 or trainer.parallel_dims.cp > 1
    alone = trainer.parallel_dims.tp == trainer.parallel_dims.pp == 1
    mixed = training.mixed_precision_param if spreads or alone else training.dtype
    return {"bfloat16": "bf16", "float32": "fp32"}.get(mixed)


def split_of(parallelism: Any) -> dict[str, Any] | None:
    """How layers are split into virtual stages, as options of `ndsim train`; None if it cannot express the split."""
    listed = getattr(parallelism, "module_fqns_per_model_part", None)
    if listed:
        return {"pipeline_layout": ",".join(str(sum(name.startswith("layers.") for name in part)) for part in listed)}
    first = getattr(parallelism, "pipeline_parallel_first_stage_less_layers", 1)
    last = getattr(parallelism, "pipeline_parallel_last_stage_less_layers", 1)
    # The embedding or the output layer counts as this many layers.
    return {"count_embedding": first == 1, "count_loss": last == 1} if {first, last} <= {0, 1} else None


def layout_of(trainer: Any, living: Living) -> tuple[Layout, int]:
    """The layout, and the tokens per step."""
    config, dims = trainer.config, trainer.parallel_dims
    dp = dims.dp_replicate * dims.dp_shard
    micro_batch, sequence, tokens = tokens_of(trainer, dp)
    shards = dims.dp_shard * dims.cp > 1
    reshard = config.parallelism.fsdp_reshard_after_forward
    compiled = config.compile.enable and "model" in config.compile.components
    many = dims.pp > 1
    split = split_of(config.parallelism) if many else {}
    layout = Layout(
        dp=dp,
        tp=dims.tp,
        pp=dims.pp,
        cp=dims.cp,
        ep=dims.ep,
        micro_batch=micro_batch,
        global_batch=tokens // sequence if sequence and tokens % sequence == 0 else None,
        sequence=sequence,
        # Without an expressible split, its consequences for the schedule are unknown, too.
        schedule=SCHEDULES.get(config.parallelism.pipeline_parallel_schedule) if many and split is not None else None,
        interleave=len(trainer.model_parts) if many and len(trainer.model_parts) > 1 else None,
        zero=3 if shards else 0,
        shard=dims.dp_shard * dims.cp if shards and dims.dp_replicate > 1 else None,
        # "default": always, except with pipeline stages.
        reshard_after_forward=(reshard == "always" or (reshard == "default" and not many)) if shards else None,
        recompute=recompute_of(config),
        precision=precision_of(trainer, spread.spread_of(living)),
        optimizer=spread.optimizer_of(living),
        fusion="compiled" if compiled else "eager",
        cuda_graphs="none" if getattr(config.training, "disable_cuda_graphs", True) else "full",
        sequence_parallel=getattr(config.parallelism, "enable_sequence_parallel", True) if dims.tp > 1 else None,
        flash_attention=True,
        overlap_tensor=getattr(config.compile, "enable_async_tensor_parallel", False) if dims.tp > 1 else None,
        offload_optimizer=config.training.enable_cpu_offload or None,
        **(split or {}),
    )
    return layout, tokens


def width_of(feed_forward: Any) -> int:
    return int(feed_forward.w1.out_features)


def experts_of(layers: list[Any], config: Any) -> dict[str, Any] | None:
    """The table [model.experts]; None if the layers follow no rule that it can express."""
    with_experts = [getattr(layer, "moe", None) is not None for layer in layers]
    if not any(with_experts):
        return {}
    dense = with_experts.index(True)
    moe = layers[dense].moe
    width = moe.routed_experts.inner_experts.hidden_dim if hasattr(moe, "routed_experts") else moe.experts.hidden_dim
    shared = 0 if moe.shared_experts is None else width_of(moe.shared_experts)
    if not all(with_experts[dense:]) or shared % width:
        return None
    return {
        "count": moe.num_experts,
        "top_k": moe.router.top_k,
        "ffn": width,
        "shared": shared // width or None,
        "dense_layers": dense or None,
        "groups": moe.router.num_expert_groups,
        "groups_per_token": moe.router.num_limited_groups,
    }


def latent_of(attention: Any) -> dict[str, Any]:
    if not hasattr(attention, "kv_lora_rank"):
        return {}
    return {
        "query_rank": attention.q_lora_rank,
        "key_value_rank": attention.kv_lora_rank,
        "plain_dim": attention.qk_nope_head_dim,
        "rotary_dim": attention.qk_rope_head_dim,
        "value_dim": attention.v_head_dim,
    }


def model_of(config: Any, sequence: int | None) -> tuple[Model | None, tuple[str, ...]]:
    """The model in terms of docs/models.md, or None and the reason. Requires: config is that of torchtitan's Decoder."""
    layers = list(getattr(config, "layers", ()))
    attention = getattr(layers[0], "attention", None) if layers else None
    if attention is None or not hasattr(attention, "n_heads"):
        return None, ("the model is not a decoder of attention layers",)
    latent, experts = latent_of(attention), experts_of(layers, config)
    if experts is None or not (latent or hasattr(attention, "qkv_linear")):
        return None, ("the model has layers that cannot be described",)
    dense = next((layer.feed_forward for layer in layers if layer.feed_forward is not None), None)
    keys = {
        "layers": len(layers),
        "hidden": config.dim,
        "ffn": None if dense is None else width_of(dense),
        "heads": attention.n_heads,
        "kv_heads": None if latent else attention.n_kv_heads or attention.n_heads,
        "head_dim": None if latent else attention.head_dim or config.dim // attention.n_heads,
        "vocabulary": config.vocab_size,
        "sequence": sequence,
        "gated": True,
        "tied_embeddings": bool(getattr(config, "enable_weight_tying", False)),
        "rotary": True,
        "biases": False,
        "norm_biases": False,
        "qk_norms": True if getattr(attention, "qk_norm", None) is not None else None,
        "final_norm": True,
    }
    return toml_model(keys, experts=experts, latent=latent), ()


def recognise(living: Living, world: int) -> tuple[Recognised, Any] | None:
    trainer = living.last(TRAINER)
    if trainer is None:
        return None
    layout, tokens = layout_of(trainer, living)
    model, notes = model_of(trainer.model_config, layout.sequence)
    return Recognised("torchtitan", version_of("torchtitan"), (), layout, model, tokens, notes, dialect_of(trainer)), None
