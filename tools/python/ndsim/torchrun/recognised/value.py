"""The recognised layout and model: one type for every framework. Anything unknown is None, and is listed by name."""

from __future__ import annotations

import dataclasses
import json
from typing import Any


@dataclasses.dataclass(frozen=True)
class Layout:
    """The layout of a run; the names are those of the options of `ndsim train`."""

    dp: int | None = None
    tp: int | None = 1
    pp: int | None = 1
    cp: int | None = 1
    ep: int | None = 1
    cp_comm_type: str | None = None
    """Exchange of context parallelism; None: the ring of `ndsim train`."""
    ulysses: int | None = None
    expert_tp: int | None = None
    micro_batch: int | None = None
    global_batch: int | None = None
    sequence: int | None = None
    schedule: str | None = None
    interleave: int | None = None
    pipeline_layout: str | None = None
    zero: int | None = None
    shard: int | None = None
    """Ranks that ZeRO shards over; None: all of dp x cp."""
    reshard_after_forward: bool | None = None
    recompute: str | None = "none"
    recompute_modules: str | None = None
    precision: str | None = None
    optimizer: str | None = None
    framework: str = "torch"
    """The framework whose training loop `ndsim train` should model."""
    fusion: str = "eager"
    cuda_graphs: str = "none"
    sequence_parallel: bool | None = None
    flash_attention: bool | None = None
    fused_accumulation: bool | None = None
    fp32_gradients: bool | None = None
    overlap_gradients: bool | None = None
    overlap_parameters: bool | None = None
    overlap_tensor: bool | None = None
    offload_optimizer: bool | None = None
    count_embedding: bool | None = None
    count_loss: bool | None = None

    @property
    def micro_batches(self) -> int | None:
        """Micro-batches per step on each data-parallel rank."""
        if self.global_batch is None or not self.dp or not self.micro_batch:
            return None
        return self.global_batch // (self.dp * self.micro_batch)


NEEDED = ("dp", "tp", "pp", "cp", "ep", "zero", "micro_batch", "global_batch", "sequence", "precision", "recompute")
"""Fields of a layout without which a step cannot be predicted."""


@dataclasses.dataclass(frozen=True)
class Model:
    """A model as a file that `ndsim train --model` reads."""

    file: str
    """File name: Hugging Face's config.json, or model.toml."""
    text: str
    has_experts: bool = False


@dataclasses.dataclass(frozen=True)
class Recognised:
    """The framework, layout and model that a rank trained."""

    framework: str
    version: str | None
    beside: tuple[str, ...]
    """Libraries used with it, such as DeepSpeed within Transformers."""
    layout: Layout
    model: Model | None
    tokens_per_step: int | None
    """Tokens per step of the whole world."""
    notes: tuple[str, ...] = ()
    """Reasons why something is unknown, if there is more to say than its name."""
    dialect: str = ""
    """Distinguishes option names that differ between a framework's versions: torchtitan's 'sequences' or 'tokens'."""

    @property
    def unknown(self) -> list[str]:
        """Names of the unknown fields."""
        needed = NEEDED if self.layout.pp == 1 else (*NEEDED, "schedule")
        names = [name for name in needed if getattr(self.layout, name) is None]
        names += [name for name in ("model", "tokens_per_step") if getattr(self, name) is None]
        return names

    def as_json(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "beside": list(self.beside), "notes": list(self.notes), "unknown": self.unknown}


def recognised_of(told: dict[str, Any]) -> Recognised:
    """The inverse of as_json()."""
    fields = {field.name: told[field.name] for field in dataclasses.fields(Recognised)}
    fields["layout"] = Layout(**told["layout"])
    fields["model"] = None if told["model"] is None else Model(**told["model"])
    return Recognised(**{**fields, "beside": tuple(told["beside"]), "notes": tuple(told["notes"])})


def json_model(keys: dict[str, Any]) -> Model:
    """The config.json of a Hugging Face model."""
    # Each family has its own key for the number of experts, but every such key contains "experts".
    return Model("config.json", json.dumps(keys), any("experts" in key for key in keys))


def toml_model(keys: dict[str, Any], **tables: dict[str, Any]) -> Model:
    """A model by the keys of docs/models.md; empty tables are left out."""
    lines = ["[model]", *toml_lines(keys)]
    for name, table in tables.items():
        if table:
            lines += [f"[model.{name}]", *toml_lines(table)]
    return Model("model.toml", "\n".join([*lines, ""]), bool(tables.get("experts")))


def toml_lines(keys: dict[str, Any]) -> list[str]:
    # JSON and TOML share their notation of numbers, texts and booleans.
    return [f"{name} = {json.dumps(value)}" for name, value in keys.items() if value is not None]
