"""Changes of a layout, whether they apply, and the table of options: a row per change, a cell per framework.

A cell is the framework's own option with its value, taken from the recognised layout; None if the framework has none.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable

from ..recognised.value import Layout, Recognised
from . import cells


class Change(enum.Enum):
    """A change to try, in the summary's words."""

    COMPILE = "fewer kernels: compile"
    CUDA_GRAPHS = "CUDA graphs: the host launches once"
    LARGER_MICRO_BATCH = "a larger micro-batch"
    SMALLER_MICRO_BATCH = "a smaller micro-batch"
    LARGER_BATCH = "a larger batch: fewer reductions a token"
    INTERLEAVE = "several chunks of the model on a stage"
    OVERLAP_GRADIENTS = "gradients reduced beside the backward pass"
    OVERLAP_PARAMETERS = "parameters gathered beside the forward pass"
    KEEP_PARAMETERS = "parameters kept from forward to backward"
    SPREAD_IN_NODE = "parameters spread within a node (HSDP)"
    LOWER_TENSOR = "less tensor parallelism"
    SEQUENCE_PARALLEL = "sequence parallelism"
    OVERLAP_TENSOR = "tensor-parallel collectives beside products"
    SPREAD_MORE = "a higher stage of ZeRO"
    RECOMPUTE = "recomputation"
    LESS_RECOMPUTE = "less recomputation"
    OFFLOAD = "the optimizer on the host"

    @property
    def opposite(self) -> Change | None:
        return {Change.LARGER_MICRO_BATCH: Change.SMALLER_MICRO_BATCH, Change.SMALLER_MICRO_BATCH: Change.LARGER_MICRO_BATCH}.get(self)

    @property
    def needs_memory(self) -> bool:
        return self in (
            Change.LARGER_MICRO_BATCH,
            Change.KEEP_PARAMETERS,
            Change.LESS_RECOMPUTE,
            Change.SPREAD_IN_NODE,
            Change.LOWER_TENSOR,
        )


@dataclasses.dataclass(frozen=True)
class Words:
    """The inputs from which options are written."""

    recognised: Recognised | None
    layout: Layout
    """Also filled for plain PyTorch, as far as it is known."""
    ranks: int
    gpus_per_node: int

    @property
    def column(self) -> str:
        """Column of the table; plain PyTorch has one, too."""
        return "PyTorch" if self.recognised is None else self.recognised.framework

    @property
    def nodes_of_data(self) -> int:
        """Nodes that a data-parallel group spans, if it fills whole nodes."""
        dp = self.layout.dp or 1
        inner = self.gpus_per_node // (self.layout.tp or 1)
        return dp // inner if inner > 1 and dp % inner == 0 else 1


OPEN: dict[Change, Callable[[Layout], bool]] = {
    # Whether a change is possible and not made already.
    Change.COMPILE: lambda layout: layout.fusion == "eager",
    Change.CUDA_GRAPHS: lambda layout: layout.cuda_graphs == "none",
    Change.LARGER_MICRO_BATCH: lambda layout: True,
    Change.SMALLER_MICRO_BATCH: lambda layout: layout.micro_batch is not None and layout.micro_batch % 2 == 0,
    Change.LARGER_BATCH: lambda layout: True,
    Change.INTERLEAVE: lambda layout: (layout.pp or 1) > 1 and (layout.interleave or 1) == 1,
    Change.OVERLAP_GRADIENTS: lambda layout: layout.overlap_gradients is False,
    Change.OVERLAP_PARAMETERS: lambda layout: layout.overlap_parameters is False and (layout.zero or 0) >= 1,
    Change.KEEP_PARAMETERS: lambda layout: layout.reshard_after_forward is True,
    Change.SPREAD_IN_NODE: lambda layout: layout.zero == 3,
    Change.LOWER_TENSOR: lambda layout: (layout.tp or 1) > 1,
    Change.SEQUENCE_PARALLEL: lambda layout: (layout.tp or 1) > 1 and layout.sequence_parallel is False,
    Change.OVERLAP_TENSOR: lambda layout: (layout.tp or 1) > 1 and layout.overlap_tensor is False,
    Change.SPREAD_MORE: lambda layout: (layout.dp or 2) > 1 and layout.zero != 3,
    Change.RECOMPUTE: lambda layout: layout.recompute != "full",
    Change.LESS_RECOMPUTE: lambda layout: layout.recompute in ("selective", "full"),
    Change.OFFLOAD: lambda layout: not layout.offload_optimizer,
}


def option_of(change: Change, words: Words) -> str | None:
    """The option to set; None if the change is made already or this framework has no option for it."""
    layout = words.layout
    if not OPEN[change](layout) or (change is Change.SPREAD_IN_NODE and words.nodes_of_data < 2):
        return None
    cell = cells.TABLE.get(words.column, {}).get(change.name)
    if cell is None:
        return None
    values = cells.Values.of(layout, words.gpus_per_node, words.nodes_of_data)
    dialect = "" if words.recognised is None else words.recognised.dialect
    beside = () if words.recognised is None else words.recognised.beside
    return cell(values, dialect, beside) if callable(cell) else values.written(cell)
