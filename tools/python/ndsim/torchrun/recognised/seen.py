"""Sequences and tokens that a model gets in one step, from the shapes of its inputs."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
from typing import Any

from .value import Recognised


@dataclasses.dataclass
class Seen:
    """The inputs of one step on one rank."""

    micro_batches: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    """Sequences, and tokens per sequence, of each forward pass."""

    @property
    def tokens(self) -> int:
        return sum(sequences * tokens for sequences, tokens in self.micro_batches)

    @property
    def sequences(self) -> int:
        return sum(sequences for sequences, _ in self.micro_batches)


def shape_of_inputs(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, int] | None:
    """Sequences and tokens per sequence from the arguments of a language model; padding counts."""
    tensor = next((named[name] for name in ("input_ids", "inputs_embeds", "idx") if named.get(name) is not None), None)
    if tensor is None and arguments:
        tensor = arguments[0]
    shape = getattr(tensor, "shape", ())
    return (int(shape[0]), int(shape[1])) if len(shape) in (2, 3) else None


def watch(model: Any, seen: Seen) -> contextlib.AbstractContextManager[Any]:
    """Record the inputs of each training pass of a module while the returned context is open."""
    torch: Any = importlib.import_module("torch")

    def before(module: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        shape = shape_of_inputs(arguments, named)
        if module.training and torch.is_grad_enabled() and shape is not None:
            seen.micro_batches.append(shape)

    watching = contextlib.ExitStack()
    watching.callback(model.register_forward_pre_hook(before, with_kwargs=True).remove)
    return watching


def completed(known: Recognised, seen: Seen) -> Recognised:
    """Completes what is known with rank 0's inputs: all data-parallel ranks have the same amount."""
    layout = known.layout
    if not seen.micro_batches or layout.dp is None or layout.cp is None:
        return known
    sequences, lengths = ({row[column] for row in seen.micro_batches} for column in (0, 1))
    said = dataclasses.replace(
        layout,
        micro_batch=layout.micro_batch or (sequences.pop() if len(sequences) == 1 else None),
        # A context-parallel rank has only its part of each sequence.
        sequence=layout.sequence or (lengths.pop() * layout.cp if len(lengths) == 1 else None),
        global_batch=layout.global_batch or seen.sequences * layout.dp,
    )
    tokens = known.tokens_per_step or seen.tokens * layout.dp * layout.cp
    return dataclasses.replace(known, layout=said, tokens_per_step=tokens)
