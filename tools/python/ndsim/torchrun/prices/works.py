"""What a call makes a GPU do, and for how long: a function for each kind of operator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from ..._ndsim import OperatorTimes
from .calls import Call
from .kinds import Kind
from .precision import Counted, convolutions_in_tf32, of_product, products_in_tf32


class Work(NamedTuple):
    """A kernel's time and what it has to show for it: FLOPs or bytes, and at most so many of them in a second."""

    picoseconds: int
    how: str
    done: float
    at_most: float


_MEMORY = "memory traffic"
_FLASH_HEAD = 256  # the widest heads that flash attention takes
_HALVES = ("fp16", "bf16")
_NONE = Work(0, "", 0, 1)


class Works:
    """The work of calls on one machine's GPU."""

    def __init__(self, times: OperatorTimes) -> None:
        self._times = times
        self._of_kind: dict[Kind, Callable[[Call, Any], Work]] = {
            Kind.PRODUCT: self._product,
            Kind.PRODUCTS: self._products,
            Kind.CONVOLUTION: self._convolution,
            Kind.CONVOLUTION_BACKWARD: self._convolution_backward,
            Kind.ATTENTION: self._attention,
            Kind.ATTENTION_BACKWARD: self._attention_backward,
            Kind.LAYER: self._layer,
            Kind.FILL: lambda call, _: self.memory(call.written_bytes()),
            Kind.GATHER: self._gather,
            Kind.SCATTER: self._scatter,
            Kind.PICK: self._pick,
            Kind.UNPICK: lambda call, _: self.memory(call.written_bytes()),
        }

    def of(self, kind: Kind, call: Call, counted: Counted) -> Work:
        """What the GPU does for this call; nothing for a tensor without elements."""
        known = self._of_kind.get(kind)
        if known is not None:
            return known(call, counted)
        return self.memory(call.read_bytes() + call.written_bytes())

    def memory(self, count: float) -> Work:
        if count == 0:
            return _NONE
        return Work(self._times.memory(count), _MEMORY, count, self._times.memory_bandwidth)

    def _work(self, picoseconds: int, what: str, flops: float, precision: str) -> Work:
        return Work(picoseconds, f"{what} {precision}", flops, self._times.peak(precision))

    def _product(self, call: Call, counted: Counted) -> Work:
        first, second = call.tensor("mat1", "input", "self"), call.tensor("mat2", "weight", "other")
        precision = of_product(first, counted, products_in_tf32())
        k = first.shape[-1]
        m = first.numel() // max(1, k)
        n = second.shape[0] if call.name == "linear" else second.shape[-1]
        if m * n * k == 0:
            return _NONE
        # A weight's gradient is gradient.t() @ input; what is made of inputs or of gradients has its rows in order.
        is_turned = first.dim() == 2 and not first.is_contiguous()
        kind = "weight_gradient" if is_turned else "forward"
        time = self._times.matrix_product(m, n, k, 1, precision, kind)
        return self._work(time, "matrix product", 2 * m * n * k, precision)

    def _products(self, call: Call, counted: Counted) -> Work:
        first, second = call.tensor("batch1", "self"), call.tensor("batch2", "mat2")
        batch, m, k = first.shape
        n = second.shape[2]
        if batch * m * n * k == 0:
            return _NONE
        precision = of_product(first, counted, products_in_tf32())
        time = self._times.matrix_product(m, n, k, batch, precision)
        return self._work(time, "products side by side", 2 * batch * m * n * k, precision)

    def _convolution(self, call: Call, counted: Counted) -> Work:
        given, weight = call.tensor("input", "self"), call.tensor("weight")
        [result, *_] = call.outputs()
        return self._convolved(call, given, weight, result, counted, "forward")

    def _convolution_backward(self, call: Call, counted: Counted) -> Work:
        result, given, weight = call.tensor("grad_output"), call.tensor("input"), call.tensor("weight")
        mask = call.named.get("output_mask", (True, True, False))
        kinds = [kind for kind, wanted in zip(("input_gradient", "weight_gradient"), mask) if wanted]
        works = [self._convolved(call, given, weight, result, counted, kind) for kind in kinds]
        if mask[2]:
            works.append(self.memory(call.bytes_of([result])))
        if not works:
            return _NONE
        first = works[0]
        done = sum(work.done for work in works if work.how == first.how)
        return first._replace(picoseconds=sum(work.picoseconds for work in works), done=done)

    def _convolved(self, call: Call, given: Any, weight: Any, result: Any, counted: Counted, kind: str) -> Work:
        """The product that it is: places times output channels times what a place sees, of each group."""
        groups = call.named.get("groups", 1)
        is_transposed = bool(call.named.get("transposed", False))
        places = given if is_transposed else result
        m = places.shape[0] * math.prod(places.shape[2:])
        n, k = weight.shape[0] // groups, weight[0].numel()
        if m * n * k == 0:
            return _NONE
        flops = 2 * m * n * k * groups
        if kind == "input_gradient":
            n, k = given.shape[1] // groups, flops // (2 * m * groups * (given.shape[1] // groups))
        elif kind == "weight_gradient":
            m, k = k, m
        precision = of_product(given, counted, convolutions_in_tf32())
        count = call.bytes_of([given, weight, result])
        time = self._times.convolution(m, n, k, groups, count, precision, kind)
        return self._work(time, "convolution", flops, precision)

    def _attention(self, call: Call, counted: Counted) -> Work:
        return self._attended(call, counted, is_backward=False)

    def _attention_backward(self, call: Call, counted: Counted) -> Work:
        return self._attended(call, counted, is_backward=True)

    def _attended(self, call: Call, counted: Counted, is_backward: bool) -> Work:
        query, key = call.tensor("query"), call.tensor("key")
        value = call.tensor("value")
        is_causal = bool(call.named.get("is_causal", False))
        rows_first = call.name.startswith(("_flash_attention", "_efficient_attention"))
        return self.attention(query, key, value, is_causal, is_backward, counted, rows_first)

    def attention(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        is_causal: bool,
        is_backward: bool,
        counted: Counted,
        rows_first: bool = False,
    ) -> Work:
        """Of [batch, heads, tokens, width], or [batch, tokens, heads, width]. Masked halves are left out by one kernel."""
        at = (1, 2) if rows_first else (2, 1)
        tokens, heads = query.shape[-4 + at[0]], query.shape[-4 + at[1]]
        keys = key.shape[-4 + at[0]]
        width, value_width = query.shape[-1], value.shape[-1]
        batch = query.numel() // max(1, tokens * heads * width)
        pairs = batch * heads * tokens * keys
        if pairs == 0:
            return _NONE
        precision = of_product(query, counted, products_in_tf32())
        if width > _FLASH_HEAD:
            return self._attention_of_parts(pairs, tokens, keys, width, value_width, precision, is_backward)
        met = keys / 2 if is_causal else keys
        flops = 2.0 * pairs * met / keys * self._times.attention_products(width, value_width, is_backward)
        time = self._times.flash(flops, batch * heads, value_width, met, precision, is_backward)
        return self._work(time, "flash attention" if precision in _HALVES else "attention", flops, precision)

    def _attention_of_parts(
        self, pairs: int, tokens: int, keys: int, width: int, value_width: int, precision: str, is_backward: bool
    ) -> Work:
        """Scores, softmax, values: what the mathematical form launches."""
        batch = pairs // (tokens * keys)
        times = 2 if is_backward else 1
        products = self._times.matrix_product(tokens, keys, width, batch, precision)
        products += self._times.matrix_product(tokens, value_width, keys, batch, precision)
        element = 2 if precision in _HALVES else 4
        softmax = self._times.memory(pairs * element * (3 if is_backward else 2))
        flops = 2.0 * pairs * (width + value_width) * times
        return self._work(products * times + softmax, "attention in parts", flops, precision)

    def _layer(self, call: Call, counted: Counted) -> Work:
        """What inference takes a whole layer for: its products, attention, and what is read and written between them."""
        given = call.tensor("src", "query")
        width = call.named["embed_dim"]
        heads = call.named.get("num_heads", call.named.get("num_head"))
        batch, tokens = given.shape[0], given.shape[1]
        precision = of_product(given, counted, products_in_tf32())
        parts = []
        passes = 0.0
        for name in ("qkv_weight", "proj_weight", "ffn_weight_1", "ffn_weight_2"):
            weight = call.named.get(name)
            if weight is not None:
                n, k = weight.shape
                time = self._times.matrix_product(batch * tokens, n, k, 1, precision)
                parts.append((time, 2.0 * batch * tokens * n * k))
                passes += 2 * call.bytes_of([given]) * n / width
        flops = 4.0 * batch * tokens * tokens * width
        time = self._times.flash(flops, batch * heads, width / heads, tokens, precision)
        parts += [(time, flops), (self._times.memory(passes), 0.0)]
        times, flops_of_all = zip(*parts)
        return self._work(sum(times), "transformer layer", sum(flops_of_all), precision)

    def _gather(self, call: Call, _: Any) -> Work:
        numbers = [each for each in call.inputs() if not each.is_floating_point()]
        return self.memory(2 * call.written_bytes() + call.bytes_of(numbers))

    def _scatter(self, call: Call, _: Any) -> Work:
        """What is added to is read and written where it is touched; all of it where a new tensor is made."""
        touched = call.named.get("grad_output", call.named.get("source", call.named.get("src", call.named.get("values"))))
        count = call.bytes_of([touched]) if isinstance(touched, torch.Tensor) else 0
        numbers = [each for each in call.inputs() if not each.is_floating_point()]
        made = 0 if call.written else call.written_bytes()
        copied = made if "self" in call.named else 0
        return self.memory(3 * count + call.bytes_of(numbers) + made + copied)

    def _pick(self, call: Call, _: Any) -> Work:
        rows = call.tensor("target")
        return self.memory(rows.numel() * (rows.element_size() + call.tensor("self").element_size()))
