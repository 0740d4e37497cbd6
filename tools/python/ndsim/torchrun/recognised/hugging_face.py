"""The Transformers model that trains: its config, which `ndsim train` reads as config.json."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from . import spread
from .living import Living
from .value import Model, json_model

MODEL = "transformers.modeling_utils.PreTrainedModel"
CLASSES = (MODEL,)

OF_USE = {
    "_name_or_path", "architectures", "chunk_size_feed_forward", "dtype", "id2label", "initializer_range", "is_encoder_decoder",
    "label2id", "output_attentions", "output_hidden_states", "pretraining_tp", "return_dict", "transformers_version", "use_cache",
}
ENDS_OF_USE = ("_token_id", "_token_ids", "_dropout", "_pdrop")
"""Keys of a config that control use of a model, not the cost of its steps."""


@dataclasses.dataclass(frozen=True)
class HuggingFace:
    """Everything known about the model."""

    module: Any = None
    """The module whose inputs are the batches; None if there is none, or more than one."""
    model: Model | None = None
    notes: tuple[str, ...] = ()
    recompute: str | None = None
    dtype: str | None = None
    """Data type of its parameters."""
    flash: bool | None = None


def whole_models(living: Living) -> list[Any]:
    """Models that are trained and are not part of another one."""
    models = living.all(MODEL)
    inner = {id(part) for model in models for part in model.modules() if part is not model}
    return [model for model in models if id(model) not in inner and model.training]


def keys_of(config: Any) -> dict[str, Any]:
    """The keys of a checkpoint's config.json, without empty ones and those for text generation only."""
    keys = json.loads(json.dumps(config.to_dict(), default=str))
    of_model = {key: value for key, value in keys.items() if key not in OF_USE and not key.endswith(ENDS_OF_USE)}
    return {key: value for key, value in of_model.items() if value not in (None, {}, [])}


def dtype_of(modules: list[Any]) -> str | None:
    """The data type of their parameters, if all share one."""
    kinds = {spread.DTYPES.get(str(each.dtype)) for module in modules for each in module.parameters()}
    return kinds.pop() if len(kinds) == 1 else None


def recomputes(model: Any) -> bool:
    """Whether its layers are checkpointed. The property's older name warns if there is a newer one."""
    newer = hasattr(type(model), "is_activation_checkpointing")
    return bool(model.is_activation_checkpointing if newer else model.is_gradient_checkpointing)


def fp32_gradients(known: HuggingFace) -> bool | None:
    """Gradients have the type of their parameters, unless something keeps a copy of the parameters."""
    return None if known.dtype is None else known.dtype == "fp32"


def note_of_states(known: HuggingFace) -> tuple[str, ...]:
    """A note if the parameters that the optimizer updates are not fp32."""
    if known.dtype in (None, "fp32"):
        return ()
    return (f"parameters and the optimizer's states are {known.dtype}; ndsim train keeps the states in fp32",)


def attention_is_flash(config: Any) -> bool | None:
    """Whether attention is a single kernel; None if the config does not tell."""
    how = getattr(config, "_attn_implementation", None)
    return None if how is None else how != "eager"


def of_models(models: list[Any]) -> HuggingFace:
    """The known properties of the models; there should be exactly one model."""
    if len(models) != 1:
        return HuggingFace(notes=("several models of Transformers train" if models else "the model is not one of Transformers",))
    (model,) = models
    frozen = any(not each.requires_grad for each in model.parameters())
    return HuggingFace(
        module=model,
        model=None if frozen else json_model(keys_of(model.config)),
        notes=("parts of the model are not trained",) if frozen else (),
        recompute="full" if recomputes(model) else "none",
        dtype=dtype_of([model]),
        flash=attention_is_flash(model.config),
    )


def hugging_face(living: Living) -> HuggingFace:
    return of_models(whole_models(living))
