"""LitGPT: its GPT, whose config defines the model, trained by Fabric."""

from __future__ import annotations

from typing import Any

from . import hugging_face, lightning
from .living import Living, version_of
from .value import Model, Recognised, toml_model

GPT = "litgpt.model.GPT"
CLASSES = (GPT, *lightning.CLASSES)


def model_of(config: Any) -> tuple[Model | None, tuple[str, ...]]:
    """The model in terms of docs/models.md, or None and the reason."""
    if config.n_expert or getattr(config, "latent_attention", None) or config.sliding_window_size:
        return None, ("the model has experts, latent attention or windows, which are not read from LitGPT",)
    keys = {
        "layers": config.n_layer,
        "hidden": config.n_embd,
        "ffn": config.intermediate_size,
        "heads": config.n_head,
        "kv_heads": config.n_query_groups,
        "head_dim": config.head_size,
        "vocabulary": config.padded_vocab_size,
        "sequence": config.block_size,
        "gated": config.mlp_class_name in ("LLaMAMLP", "GemmaMLP"),
        "tied_embeddings": False,
        "rotary": True,
        "biases": bool(config.bias),
        "qkv_biases": bool(config.attn_bias) and not config.bias or None,
        "norm_biases": config.norm_class_name == "LayerNorm",
        "norms_per_layer": 1 if config.shared_attention_norm else None,
        "parallel_block": config.parallel_residual or None,
        "qk_norms": config.norm_qk or None,
        "final_norm": True,
    }
    return toml_model(keys), ()


def recognise(living: Living, world: int) -> tuple[Recognised, Any] | None:
    gpt, fabric = living.last(GPT), lightning.last_of(living, lightning.FABRICS)
    if gpt is None or fabric is None:
        return None
    # LitGPT's GPT checkpoints nothing itself: recomputation is up to the strategy.
    own = hugging_face.HuggingFace(flash=True, recompute="none")
    layout, beside, said = lightning.described(living, fabric.strategy, own, world)
    frozen = any(not each.requires_grad for each in gpt.parameters())
    model, notes = (None, ("parts of the model are not trained",)) if frozen else model_of(gpt.config)
    return Recognised("LitGPT", version_of("litgpt"), beside, layout, model, None, (*said, *notes)), gpt
