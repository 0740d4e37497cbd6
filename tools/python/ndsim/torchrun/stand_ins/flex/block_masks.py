"""PyTorch's create_block_mask when compiled: one kernel that stores no pairs, whereas its operators store them all."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from ... import rank as ranks
from ...script import compiled
from . import masks
from .calls import KERNELS, numbered

MAKERS = ("create_block_mask", "_create_block_mask_inner")
"""PyTorch's functions that turn a mask of pairs into one of blocks; the second exists up to 2.6."""


class Pairs:
    """A mask of all pairs that is never stored as a tensor."""

    def __init__(self, mask: masks.Mask, sides: tuple[int, int, int, int], device: Any) -> None:
        self.mask, self.sides, self.device = mask, sides, device

    def blocks(self, query_block: int, key_block: int) -> tuple[Any, Any]:
        """Whether some pairs of each block pass, and whether all do, as one kernel."""
        torch: Any = importlib.import_module("torch")
        kernels: Any = importlib.import_module(KERNELS)
        shape = masks.Shape(*self.sides, query_block, key_block)
        held = [tensor for tensor in masks.captured(self.mask) if tensor.is_cuda]
        rank = ranks.this_rank()
        per_side = masks.PER_SIDE if rank is not None and rank.options.hollow else None
        blocks = [shape.batch, shape.heads, -(-shape.queries // query_block), -(-shape.keys // key_block)]
        pairs = shape.batch * shape.heads * shape.queries * shape.keys
        with numbered(functools.partial(masks.blocks_passed, [self.mask], shape, per_side)) as number:
            at = torch.empty(0, dtype=torch.bool, device=self.device)
            return kernels.mask_blocks(at, held, number, pairs, blocks)  # type: ignore[no-any-return]


def prepare(setting: ranks.Setting) -> None:
    """Replace the operators with the kernel, but only inside create_block_mask."""
    torch: Any = importlib.import_module("torch")
    try:
        module: Any = importlib.import_module("torch.nn.attention.flex_attention")
    except ImportError:
        return
    create_mask, convert = module.create_mask, module._convert_mask_to_block_mask
    makers: list[str] = []  # active calls

    @functools.wraps(create_mask)
    def pairs_of(*arguments: Any, **settings: Any) -> Any:
        given = named(create_mask, arguments, settings)
        device = torch.device(given["device"] or "cuda")
        if not makers or device.type != "cuda" or not compiled.is_compiled():
            return create_mask(*arguments, **settings)
        return Pairs(given["mod_fn"], (given["B"] or 1, given["H"] or 1, given["Q_LEN"], given["KV_LEN"]), device)

    @functools.wraps(convert)
    def blocks_of(mask: Any, *arguments: Any, **settings: Any) -> Any:
        if not isinstance(mask, Pairs):
            return convert(mask, *arguments, **settings)
        given = named(convert, (mask, *arguments), settings)
        some, every = mask.blocks(given["Q_BLOCK_SIZE"], given["KV_BLOCK_SIZE"])
        if not given["separate_full_blocks"]:
            return some.to(torch.int8), None
        return (some & ~every).to(torch.int8), every.to(torch.int8)

    module.create_mask, module._convert_mask_to_block_mask = pairs_of, blocks_of
    for name in MAKERS:
        if hasattr(module, name):
            setattr(module, name, watched(name, getattr(module, name), makers))


def named(function: Callable[..., Any], arguments: tuple[Any, ...], settings: dict[str, Any]) -> dict[str, Any]:
    """The call's arguments by name, including defaults."""
    bound = inspect.signature(function).bind(*arguments, **settings)
    bound.apply_defaults()
    return bound.arguments


def watched(name: str, maker: Callable[..., Any], makers: list[str]) -> Callable[..., Any]:
    @functools.wraps(maker)
    def call(*arguments: Any, **settings: Any) -> Any:
        makers.append(name)
        try:
            return maker(*arguments, **settings)
        finally:
            makers.pop()

    return call
