"""Megatron Core without Megatron-LM: its parallel state, and the GPTModel with its config."""

from __future__ import annotations

from typing import Any

from .living import Living, loaded, version_of
from .value import Layout, Model, Recognised, toml_model

GPT = "megatron.core.models.gpt.gpt_model.GPTModel"
DISTRIBUTED = "megatron.core.distributed.distributed_data_parallel.DistributedDataParallel"

CLASSES = (GPT, DISTRIBUTED)

FP8 = {"delayed": "fp8", "tensorwise": "fp8", "blockwise": "fp8-block", "mxfp8": "mxfp8"}


def version() -> str | None:
    return version_of("megatron.core")


def first_of(living: Living) -> Any:
    """The model's first chunk on this rank; None if there is no GPTModel."""
    found = living.all(GPT)
    return found[0] if found else None


def precision_of(config: Any) -> str | None:
    """From a TransformerConfig, or from Megatron-LM's arguments, which have the same names."""
    if getattr(config, "fp4", None) or getattr(config, "fp4_format", None):
        return "nvfp4"
    if getattr(config, "fp8", None) or getattr(config, "fp8_format", None):
        return FP8.get(str(getattr(config.fp8_recipe, "value", config.fp8_recipe)))
    return "bf16" if config.bf16 else "fp16" if config.fp16 else "fp32"


def graphs_of(config: Any) -> str:
    impl = getattr(config, "cuda_graph_impl", None) or "none"
    if impl == "none" and not getattr(config, "enable_cuda_graph", False):
        return "none"
    has_experts = bool(getattr(config, "num_experts", None) or getattr(config, "num_moe_experts", None))
    return "partial" if has_experts else "full"


def modules_text(config: Any) -> str | None:
    """The modules that selective recomputation covers, separated by commas."""
    if config.recompute_granularity != "selective":
        return None
    return ",".join(config.recompute_modules or ["core_attn"])


def not_described(config: Any) -> str | None:
    """The first property of a model that docs/models.md has no key for."""
    if getattr(config, "is_hybrid_model", False):
        return "layers that are no attention"
    if getattr(config, "experimental_attention_variant", None) or getattr(config, "linear_attention_freq", None):
        return "linear or sparse attention"
    if getattr(config, "heterogeneous_block_specs", False):
        return "layers that differ"
    return None


def experts_of(config: Any) -> dict[str, Any] | None:
    """The table [model.experts]; None if the layers follow no rule that it can express."""
    count = config.num_moe_experts
    if not count:
        return {}
    pattern, width = config.moe_layer_freq, config.moe_ffn_hidden_size or config.ffn_hidden_size
    dense, every = 0, pattern
    if isinstance(pattern, list):
        dense, every = (pattern.index(1) if 1 in pattern else len(pattern)), 1
        if 0 in pattern[dense:]:
            return None
    shared = config.moe_shared_expert_intermediate_size or 0
    if shared % width:
        return None
    return {
        "count": count,
        "top_k": config.moe_router_topk,
        "ffn": width,
        "shared": shared // width or None,
        "dense_layers": dense or None,
        "every": every if every > 1 else None,
        "groups": config.moe_router_num_groups,
        "groups_per_token": config.moe_router_group_topk,
        "router_bias": config.moe_router_enable_expert_bias or None,
    }


def latent_of(config: Any) -> dict[str, Any]:
    if not config.multi_latent_attention:
        return {}
    return {
        "query_rank": config.q_lora_rank or 0,
        "key_value_rank": config.kv_lora_rank,
        "plain_dim": config.qk_head_dim,
        "rotary_dim": config.qk_pos_emb_head_dim,
        "value_dim": config.v_head_dim,
    }


def model_of(gpt: Any) -> tuple[Model | None, tuple[str, ...]]:
    """The model in terms of docs/models.md, or None and the reason."""
    if gpt is None:
        return None, ("the model is not a GPTModel",)
    config = gpt.config
    lost, experts = not_described(config), experts_of(config)
    if lost or experts is None:
        return None, (f"the model has {lost or 'layers with experts in an order of their own'}",)
    latent = latent_of(config)
    every = config.window_attn_skip_freq
    if config.window_size and isinstance(every, list):
        return None, ("the model has layers with a window in an order of their own",)
    keys = {
        "layers": config.num_layers,
        "hidden": config.hidden_size,
        "ffn": config.ffn_hidden_size,
        "heads": config.num_attention_heads,
        "kv_heads": None if latent else config.num_query_groups or config.num_attention_heads,
        "head_dim": None if latent else config.kv_channels,
        "vocabulary": gpt.vocab_size,
        "sequence": gpt.max_sequence_length,
        "gated": bool(config.gated_linear_unit),
        "tied_embeddings": bool(gpt.share_embeddings_and_output_weights),
        "learned_positions": gpt.position_embedding_type == "learned_absolute",
        "rotary": gpt.position_embedding_type in ("rope", "mrope", "yarn"),
        "biases": bool(config.add_bias_linear),
        "qkv_biases": bool(config.add_qkv_bias) and not config.add_bias_linear or None,
        "norm_biases": config.normalization == "LayerNorm",
        "qk_norms": bool(config.qk_layernorm) or None,
        "final_norm": True,
        "mtp_layers": config.mtp_num_layers or None,
        "attention_sinks": config.softmax_type == "learnable" or None,
    }
    window = {"window": config.window_size[0] + 1, "every": every or None} if config.window_size else {}
    return toml_model(keys, experts=experts, latent=latent, sliding=window), ()


def size_of(state: Any, what: str, default: int = 1) -> int:
    """A degree of parallelism from the parallel state, such as 'tensor_model'."""
    sizes = getattr(state, f"get_{what}_parallel_world_size", None)
    return int(sizes()) if sizes is not None else default


def layout_of(living: Living, config: Any) -> Layout:
    state = loaded("megatron.core.parallel_state")
    stages, chunks = size_of(state, "pipeline_model"), state.get_virtual_pipeline_model_parallel_world_size() or 1
    tensor = size_of(state, "tensor_model")
    wrapper = living.last(DISTRIBUTED)
    of_ranks = getattr(wrapper, "ddp_config", None)
    return Layout(
        dp=size_of(state, "data"),
        tp=tensor,
        pp=stages,
        cp=state.get_context_parallel_world_size(),
        ep=size_of(state, "expert_model") if config.num_moe_experts else 1,
        expert_tp=size_of(state, "expert_tensor") if config.num_moe_experts else None,
        schedule=None if stages == 1 else "interleaved" if chunks > 1 else "1f1b",
        interleave=chunks if chunks > 1 else None,
        zero=None if of_ranks is None else int(bool(of_ranks.use_distributed_optimizer)),
        recompute=config.recompute_granularity or "none",
        recompute_modules=modules_text(config),
        precision=precision_of(config),
        framework="megatron",
        fusion="fused",
        cuda_graphs=graphs_of(config),
        sequence_parallel=bool(config.sequence_parallel) if tensor > 1 else None,
        fused_accumulation=bool(config.gradient_accumulation_fusion),
        fp32_gradients=None if of_ranks is None else bool(of_ranks.grad_reduce_in_fp32),
        overlap_gradients=None if of_ranks is None else bool(of_ranks.overlap_grad_reduce),
        overlap_parameters=None if of_ranks is None else bool(of_ranks.overlap_param_gather),
        overlap_tensor=bool(config.tp_comm_overlap) if tensor > 1 else None,
    )


def recognise(living: Living, world: int) -> tuple[Recognised, Any] | None:
    gpt = first_of(living)
    state = loaded("megatron.core.parallel_state")
    if gpt is None or state is None or not state.model_parallel_is_initialized():
        return None
    model, notes = model_of(gpt)
    return Recognised("Megatron Core", version(), (), layout_of(living, gpt.config), model, None, notes), gpt
