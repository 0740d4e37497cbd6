"""PyTorch's flex_attention when compiled: one kernel on the GPU instead of its separate operators."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any

from ... import rank as ranks
from ...refusals import refuse
from ...script import compiled
from . import masks
from .calls import KERNELS, numbered


class Fused(dict[str, Any]):
    """The options of a fused kernel: the backward pass is fused if the forward pass was."""


def hop() -> Any:
    return importlib.import_module("torch._higher_order_ops.flex_attention")


def is_fused(query: Any, options: Any) -> bool:
    return query.is_cuda and (isinstance(options, Fused) or compiled.is_compiled())


def joint_of(score_mod: Any, query: Any) -> Callable[..., Any]:
    """Maps a score, and the gradient of the script function's result, to the score's gradient."""
    torch: Any = importlib.import_module("torch")
    if score_mod is importlib.import_module("torch.nn.attention.flex_attention")._identity:
        return lambda score, b, h, q, kv, gradient, *captured: [gradient, None, None, None, None, *(None for _ in captured)]
    if any(tensor.requires_grad for tensor in masks.captured(score_mod)):
        refuse("flex_attention with a score_mod that captures a tensor with a gradient", "the gradient would be lost")
    fake: Any = importlib.import_module("torch._subclasses.fake_tensor")
    with fake.FakeTensorMode(allow_non_fake_inputs=True):
        score = torch.zeros((), dtype=query.dtype, device=query.device, requires_grad=True)
        places = [torch.zeros((), dtype=torch.int, device=query.device) for _ in range(4)]
    index: Any = importlib.import_module("torch._dynamo._trace_wrapped_higher_order_op").TransformGetItemToIndex
    with index():
        joint: Callable[..., Any] = hop().create_fw_bw_graph(score_mod, (score, *places), ())[1]
    return joint


def prepare(setting: ranks.Setting) -> None:
    """Replace the operators with the kernel."""
    warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
    torch: Any = importlib.import_module("torch")
    try:
        operators = hop()
    except ImportError:
        return
    explicit, autograd = torch._C.DispatchKey.CompositeExplicitAutograd, torch._C.DispatchKey.Autograd
    forward, backward = operators.flex_attention.py_kernels, operators.flex_attention_backward.py_kernels
    dense, dense_backward, with_gradient = forward[explicit], backward[explicit], forward[autograd]

    def attend(query: Any, key: Any, value: Any, score_mod: Any, mask: Any, scale: Any, options: Any, *buffers: Any) -> Any:
        if not is_fused(query, options):
            return dense(query, key, value, score_mod, mask, scale, options, *buffers)
        kernels: Any = importlib.import_module(KERNELS)
        compute = functools.partial(call_dense, score_mod, mask, scale, options, buffers)
        met = masks.keys_met(mask, query.shape[-2], key.shape[-2])
        with numbered(compute) as number:
            made = kernels.attend(query, key, value, number, met, bool(options.get("OUTPUT_MAX")))
        return made if operators_give_max else made[:2]

    def call_dense(score_mod: Any, mask: Any, scale: Any, options: Any, buffers: Any, query: Any, key: Any, value: Any) -> Any:
        return dense(query, key, value, score_mod, mask, scale, options, *buffers)

    def attend_with_gradient(
        query: Any,
        key: Any,
        value: Any,
        score_mod: Any,
        mask: Any,
        scale: Any,
        options: Any,
        captured: Any = (),
        of_mask: Any = (),
    ) -> Any:
        if not is_fused(query, options):
            return with_gradient(query, key, value, score_mod, mask, scale, options, captured, of_mask)
        wants = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in (query, key, value))
        joint = joint_of(score_mod, query) if wants else None
        apply = operators.FlexAttentionAutogradOp.apply
        return apply(query, key, value, score_mod, joint, mask, scale, Fused(options), of_mask, *captured)

    def attend_backward(
        query: Any,
        key: Any,
        value: Any,
        made: Any,
        sums: Any,
        gradient: Any,
        of_sums: Any,
        score_mod: Any,
        joint: Any,
        mask: Any,
        *rest: Any,
    ) -> Any:
        scale, options, *buffers = rest
        if not is_fused(query, options):
            return dense_backward(query, key, value, made, sums, gradient, of_sums, score_mod, joint, mask, *rest)
        kernels: Any = importlib.import_module(KERNELS)

        def compute(*tensors: Any) -> Any:
            return dense_backward(*tensors, score_mod, joint, mask, scale, options, *buffers)

        met = masks.keys_met(mask, query.shape[-2], key.shape[-2])
        with numbered(compute) as number:
            gradients = kernels.attend_backward(query, key, value, made, sums, gradient, of_sums, number, met)
        return *gradients, ()

    operators_give_max = "max_scores" in operators.FlexAttentionAutogradOp.backward.__code__.co_varnames
    forward[explicit], backward[explicit], forward[autograd] = attend, attend_backward, attend_with_gradient
    for operator in (operators.flex_attention, operators.flex_attention_backward):
        operator._dispatch_cache.clear()
