"""Kernels bound by memory: norms, activations, rotary embeddings, losses, embeddings, casts, optimizers; eager and compiled."""

from functools import partial

import torch
from torch.nn import functional

from case import BF16, Case, drawn, whole
from clock import copies

F32 = torch.float32
ROWS = ((2048, 4096), (8192, 4096), (8192, 8192), (16384, 2048), (4096, 12288))


def rms_norm(x, w):
    return functional.rms_norm(x, (x.shape[-1],), w, 1e-5)


def plain_rms_norm(x, w):
    """As in Llama's code: in fp32."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).type_as(x) * w


def layer_norm(x, w):
    return functional.layer_norm(x, (x.shape[-1],), w, w)


def swiglu(gate, up):
    return functional.silu(gate) * up


def rotary(x, cosine, sine):
    """In halves, as in Transformers: x is [batch, heads, tokens, width]."""
    low, high = x.chunk(2, -1)
    return x * cosine + torch.cat((-high, low), -1) * sine


def complex_rotary(x, turns):
    """In pairs, as in Llama's code: x is [batch, tokens, heads, width]."""
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).flatten(3).type_as(x)


def loss(logits, target):
    return functional.cross_entropy(logits.float(), target)


def narrow_loss(logits, target):
    return functional.cross_entropy(logits, target)


def add(x, y):
    return x + y


def two(rows, width, gradient):
    return drawn(rows, width, gradient=gradient), drawn(rows, width, gradient=gradient)


def with_weight(rows, width, gradient):
    return drawn(rows, width, gradient=gradient), drawn(width, gradient=gradient)


def heads(rows, width, gradient):
    x = drawn(1, width // 128, rows, 128, gradient=gradient)
    return x, drawn(rows, 128), drawn(rows, 128)


def complex_heads(rows, width, gradient):
    turns = torch.polar(*(drawn(rows, 1, 64, dtype=F32) for _ in range(2)))
    return drawn(1, rows, width // 128, 128, gradient=gradient), turns


def of_vocabulary(rows, width, gradient):
    return drawn(rows, width, gradient=gradient), whole(width, rows)


def one(rows, width, gradient):
    return (drawn(rows, width, gradient=gradient),)


# Functions with a backward pass: their inputs and sizes.
MODULES = {
    "rms_norm": (rms_norm, with_weight, ROWS),
    "rms_norm in fp32": (plain_rms_norm, with_weight, ROWS),
    "layer_norm": (layer_norm, with_weight, ROWS),
    "swiglu": (swiglu, two, ((2048, 14336), (8192, 14336), (16384, 3584), (8192, 28672))),
    "gelu": (functional.gelu, one, ((2048, 16384), (8192, 16384), (4096, 12288))),
    "rotary": (rotary, heads, ((2048, 4096), (8192, 4096), (8192, 8192))),
    "rotary of pairs": (complex_rotary, complex_heads, ((2048, 4096), (8192, 4096), (8192, 8192))),
    "loss in fp32": (loss, of_vocabulary, ((2048, 128256), (8192, 128256), (8192, 32000), (8192, 50257))),
    "loss in bf16": (narrow_loss, of_vocabulary, ((2048, 128256), (8192, 128256), (8192, 32000))),
    "dropout": (partial(functional.dropout, p=0.1), one, ((2048, 4096), (8192, 8192))),
    "softmax": (partial(torch.softmax, dim=-1), one, ((16384, 512), (32768, 1024), (32768, 2048), (16384, 8192))),
    "residual": (add, two, ROWS),
}
NOT_COMPILED = {"residual", "softmax", "loss in bf16"}


def module(name, rows, width, compiled, backward):
    function, inputs, _ = MODULES[name]
    called = torch.compile(function, dynamic=False) if compiled else function
    sets = [inputs(rows, width, backward) for _ in range(copies(4 * rows * width))]
    if not backward:
        return [lambda given=given: called(*given) for given in sets]
    calls = []
    for given in [*sets, *(inputs(rows, width, backward) for _ in range(3 - len(sets)))][:3]:
        result = called(*given)
        wanted = [each for each in given if each.requires_grad]
        gradient = torch.randn_like(result)
        calls.append(lambda r=result, w=wanted, g=gradient: torch.autograd.grad(r, w, g, retain_graph=True))
    return calls


def modules(compiled):
    for name, (_, _, sizes) in MODULES.items():
        for rows, width in sizes[:3] if compiled else sizes:
            for backward in (False, True):
                if not (compiled and name in NOT_COMPILED or backward and name == "residual"):
                    family = f"{name}, {'backward' if backward else 'forward'}{', compiled' if compiled else ''}"
                    yield Case(family, f"{rows} x {width}", partial(module, name, rows, width, compiled, backward))


def each(make, bytes_of_one):
    return [make() for _ in range(copies(bytes_of_one))]


def calls_on(function, tensors):
    return [lambda t=t: function(t) for t in tensors]


SIMPLE = {  # one kernel each: the function, its input's type, and the bytes of an element read and written
    "copy bf16": (torch.clone, BF16, 4),
    "copy fp32": (torch.clone, F32, 8),
    "cast bf16 to fp32": (lambda x: x.float(), BF16, 6),
    "cast fp32 to bf16": (lambda x: x.to(BF16), F32, 6),
    "transpose bf16": (lambda x: x.t().contiguous(), BF16, 4),
    "sum fp32": (torch.sum, F32, 4),
    "sum of columns bf16": (lambda x: x.sum(0), BF16, 2),
    "sum of rows bf16": (lambda x: x.sum(-1), BF16, 2),
    "fill bf16": (lambda x: x.zero_(), BF16, 2),
    "scale in place fp32": (lambda x: x.mul_(0.5), F32, 8),
    "neg bf16": (torch.neg, BF16, 4),
}
SIZES = ((512, 1024), (2048, 4096), (8192, 4096), (16384, 16384))


def simple():
    for name, (function, dtype, moved) in SIMPLE.items():
        for rows, width in SIZES:
            sizes = {"kind": "memory", "bytes": moved * rows * width} if name == "neg bf16" else {}
            yield Case(name, f"{rows} x {width}",
                       lambda f=function, d=dtype, r=rows, w=width: calls_on(f, each(lambda: drawn(r, w, dtype=d), 8 * r * w)),
                       sizes)  # fmt: skip


def embedding(vocabulary, width, tokens, dtype, backward):
    table = drawn(vocabulary, width, dtype=dtype, gradient=backward)
    chosen = [whole(vocabulary, tokens) for _ in range(4)]
    if not backward:
        return [lambda t=t: functional.embedding(t, table) for t in chosen]
    results = [functional.embedding(t, table) for t in chosen]
    gradients = [torch.randn_like(result) for result in results]
    return [lambda r=r, g=g: torch.autograd.grad(r, table, g, retain_graph=True) for r, g in zip(results, gradients)]


def embeddings():
    for vocabulary, width, tokens in ((128256, 4096, 8192), (128256, 4096, 2048), (50304, 2048, 16384), (32000, 8192, 4096)):
        for dtype, name in ((BF16, "bf16"), (F32, "fp32")):
            for backward in (False, True):
                yield Case(f"embedding {name}, {'backward' if backward else 'forward'}", f"{tokens} of {vocabulary} x {width}",
                           partial(embedding, vocabulary, width, tokens, dtype, backward))  # fmt: skip


def parameters(layers, hidden, dtype):
    """Returns the parameters of layers of a Llama, with gradients."""
    sides = [(hidden, hidden)] * 2 + [(hidden // 4, hidden)] * 2 + [(7 * hidden // 2, hidden)] * 3 + [(hidden,)] * 2
    made = [torch.nn.Parameter(drawn(*each, dtype=dtype)) for each in sides * layers]
    for parameter in made:
        parameter.grad = torch.randn_like(parameter)
    return made


def optimizer(layers, hidden, dtype, how):
    made = parameters(layers, hidden, dtype)
    if how == "clip":
        return [lambda: torch.nn.utils.clip_grad_norm_(made, 1e9)]
    return [torch.optim.AdamW(made, lr=1e-9, fused=how == "fused", foreach=how == "foreach").step]


def optimizers():
    for how in ("fused", "foreach", "clip"):
        for dtype, name in ((BF16, "bf16"), (F32, "fp32")):
            for layers, hidden in ((2, 4096), (16, 2048), (12, 768)):
                yield Case(f"AdamW {how}, {name}" if how != "clip" else f"clip, {name}", f"{layers} layers of {hidden}",
                           partial(optimizer, layers, hidden, dtype, how))  # fmt: skip


def eager():
    yield from simple()
    yield from modules(compiled=False)
    yield from embeddings()
    yield from optimizers()


def compiled():
    yield from modules(compiled=True)
