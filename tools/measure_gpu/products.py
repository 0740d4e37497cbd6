"""Matrix products of linear layers, in bf16 and in fp8, and the casts to fp8."""

import torch

from case import BF16, DTYPES, FP8, Case, drawn
from clock import copies

# Layers of models: inputs, outputs, and whether tensor parallelism divides the outputs (else the inputs).
LAYERS = {
    "llama3-8b": {"qkv": (4096, 6144, True), "out": (4096, 4096, False), "up": (4096, 28672, True), "down": (14336, 4096, False)},
    "llama3-70b": {"qkv": (8192, 10240, True), "out": (8192, 8192, False), "up": (8192, 57344, True), "down": (28672, 8192, False)},
    "gpt3-175b": {"qkv": (12288, 36864, True), "out": (12288, 12288, False), "up": (12288, 49152, True), "down": (49152, 12288, False)},
}
SHARES = {"llama3-8b": (1, 2, 4), "llama3-70b": (2, 4, 8), "gpt3-175b": (4, 8)}
ROWS = (512, 2048, 4096, 16384)
KINDS = ("forward", "input_gradient", "weight_gradient")


def layers():
    """Each layer's name, inputs and outputs on a rank."""
    for model, of_model in LAYERS.items():
        for share in SHARES[model]:
            for layer, (inputs, outputs, by_outputs) in of_model.items():
                sides = (inputs, outputs // share) if by_outputs else (inputs // share, outputs)
                yield f"{model} {layer} tp {share}", *sides


def sides_of(kind, rows, inputs, outputs):
    """m, n and k of a linear layer's product."""
    return {
        "forward": (rows, outputs, inputs),
        "input_gradient": (rows, inputs, outputs),
        "weight_gradient": (outputs, inputs, rows),
    }[kind]


def linear(kind, rows, inputs, outputs, dtype=BF16):
    """The products as autograd calls them."""
    sets = copies(dtype.itemsize * (rows * inputs + inputs * outputs + rows * outputs))
    x = [drawn(rows, inputs, dtype=dtype) for _ in range(sets)]
    w = [drawn(outputs, inputs, dtype=dtype) for _ in range(sets)]
    if kind == "forward":
        return [lambda x=x, w=w: torch.mm(x, w.t()) for x, w in zip(x, w)]
    g = [drawn(rows, outputs, dtype=dtype) for _ in range(sets)]
    if kind == "input_gradient":
        return [lambda g=g, w=w: torch.mm(g, w) for g, w in zip(g, w)]
    return [lambda g=g, x=x: torch.mm(g.t(), x) for g, x in zip(g, x)]


def product(family, name, kind, rows, inputs, outputs, precision="bf16", sustained=False):
    m, n, k = sides_of(kind, rows, inputs, outputs)
    return Case(
        family,
        f"{name}, {rows} rows, {kind}",
        lambda: linear(kind, rows, inputs, outputs, DTYPES[precision]),
        {"kind": kind, "precision": precision, "m": m, "n": n, "k": k},
        sustained,
    )


def gemm():
    for rows in ROWS:
        for name, inputs, outputs in layers():
            for kind in KINDS:
                yield product("gemm bf16", name, kind, rows, inputs, outputs)
    for rows in (1024, 8192):
        for kind in KINDS:
            yield product("gemm bf16, vocabulary", "llama3-8b vocabulary", kind, rows, 4096, 128256)
            yield product("gemm bf16, vocabulary", "llama3-70b vocabulary tp 8", kind, rows, 8192, 16032)
            yield product("gemm bf16, odd sides", "vocabulary of 50257", kind, rows, 2048, 50257)
            yield product("gemm bf16, odd sides", "gpt2-xl up", kind, rows, 1600, 6400)
            yield product("gemm bf16, odd sides", "opt up", kind, rows, 5120, 20480 + 8)
    for rows in (64, 128, 256):
        for inputs, outputs in ((4096, 4096), (4096, 14336), (8192, 8192)):
            yield product("gemm bf16, few rows", f"{inputs} to {outputs}", "forward", rows, inputs, outputs)
    for side in (1024, 2048, 4096, 8192):
        yield product("gemm bf16, square", f"{side}", "forward", side, side, side)
        yield product("gemm fp32", f"{side}", "forward", side, side, side, "fp32")


LASTING = ((8192, 8192, 8192), (8192, 4096, 28672), (16384, 8192, 3584), (2048, 4096, 4096), (8192, 4096, 6144), (8192, 4096, 4096),
           (8192, 14336, 4096), (16384, 2048, 8192), (4096, 2048, 2048), (1024, 4096, 14336), (512, 8192, 8192))  # fmt: skip


def sustained():
    for rows, inputs, outputs in LASTING:
        for kind in KINDS:
            yield product("gemm bf16, sustained", f"{inputs} to {outputs}", kind, rows, inputs, outputs, sustained=True)
        for by_rows in (False, True):
            yield Case(f"fp8 {'row-wise' if by_rows else 'tensor-wise'}, sustained", f"{inputs} to {outputs}, {rows} rows",
                       lambda b=by_rows, r=rows, i=inputs, o=outputs: scaled(b, r, i, o, True), sustained=True)  # fmt: skip


def sides():
    """Products with sides that are multiples of less and less."""
    for outputs in (50304, 50272, 50264, 50260, 50258, 50257):
        for kind in KINDS:
            yield product("gemm bf16, last side", f"{outputs} columns", kind, 4096, 2048, outputs)
    for inputs in (4096, 4104, 4100, 4098, 4097):
        for kind in KINDS:
            yield product("gemm bf16, inner side", f"{inputs} inputs", kind, 4096, inputs, 4096)


SCALED_ROWS = (1024, 4096, 16384)
SCALED = (("llama3-8b qkv", 4096, 6144), ("llama3-8b up", 4096, 14336), ("llama3-8b down", 14336, 4096), ("llama3-70b up tp 2", 8192, 14336),
          ("llama3-70b down tp 8", 3584, 8192), ("gpt3-175b out tp 4", 3072, 12288), ("llama3-8b out tp 2", 2048, 4096))  # fmt: skip


def scaled(by_rows, rows, inputs, outputs, fast):
    sets = copies(rows * inputs + inputs * outputs + 2 * rows * outputs)
    one = torch.ones((), device="cuda")
    scales = (torch.ones(rows, 1, device="cuda"), torch.ones(1, outputs, device="cuda")) if by_rows else (one, one)
    calls = []
    for _ in range(sets):
        x, w = drawn(rows, inputs).to(FP8), drawn(outputs, inputs).to(FP8)
        calls.append(lambda x=x, w=w: torch._scaled_mm(x, w.t(), *scales, out_dtype=BF16, use_fast_accum=fast))
    return calls


def scaled_mm():
    for rows in SCALED_ROWS:
        for name, inputs, outputs in SCALED:
            for by_rows in (False, True):
                for fast in (True, False):
                    family = f"fp8 {'row-wise' if by_rows else 'tensor-wise'}{'' if fast else ', slow sums'}"
                    sizes = {"kind": "forward", "precision": "fp8", "m": rows, "n": outputs, "k": inputs} if fast and not by_rows else {}
                    yield Case(family, f"{name}, {rows} rows",
                               lambda b=by_rows, r=rows, i=inputs, o=outputs, f=fast: scaled(b, r, i, o, f), sizes)  # fmt: skip


LARGEST = torch.finfo(FP8).max


def cast_whole(x):
    """Quantises with one scale, as torchao's dynamic recipe does."""
    scale = LARGEST / x.abs().max().float().clamp(min=1e-12)
    return (x.float() * scale).clamp(-LARGEST, LARGEST).to(FP8), scale.reciprocal()


def cast_rows(x):
    """Quantises with one scale for each row."""
    scale = LARGEST / x.abs().amax(-1, keepdim=True).float().clamp(min=1e-12)
    return (x.float() * scale).clamp(-LARGEST, LARGEST).to(FP8), scale.reciprocal()


def cast_columns(x):
    """Quantises with one scale for each column, into columns that are contiguous."""
    quantised, scale = cast_rows(x.t())
    return quantised.contiguous(), scale


CASTS = {"cast tensor-wise": cast_whole, "cast by rows": cast_rows, "cast by columns": cast_columns}


def cast(how, compiled, rows, columns):
    called = torch.compile(CASTS[how], dynamic=False) if compiled else CASTS[how]
    return [lambda x=x: called(x) for x in [drawn(rows, columns) for _ in range(copies(2 * rows * columns))]]


def casts():
    for how in CASTS:
        for rows, columns in ((4096, 4096), (16384, 4096), (16384, 14336)):
            for compiled in (False, True):
                family = f"fp8 {how}, {'compiled' if compiled else 'eager'}"
                yield Case(family, f"{rows} x {columns}", lambda h=how, c=compiled, r=rows, s=columns: cast(h, c, r, s))
