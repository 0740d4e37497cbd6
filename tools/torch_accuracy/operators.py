"""Times the modules of docs/data/operator_times.csv on the simulated GPU, in the same way as they were timed on real ones.

    python3 -m ndsim.torchrun --nproc 1 --hollow --machine dgx-h100 tools/torch_accuracy/operators.py H100-SXM

Prints a row for each module and pass: the error of the simulated times against the measured ones, as a mean over the sizes. The
modules are eager PyTorch, like the baselines that Liger-Kernel's benchmarks measure beside its own kernels. As in those benchmarks,
the GPU is kept busy before the first event, so that the host is ahead.
"""

import csv
import pathlib
import sys
from statistics import mean
from typing import NamedTuple

import torch
from torch.nn import functional

TABLE = pathlib.Path(__file__).resolve().parents[2] / "docs/data/operator_times.csv"
HEADS, KEY_HEADS, HEAD_WIDTH = 32, 8, 256
EPSILON = 1e-6
BF16 = torch.bfloat16


class Benchmark(NamedTuple):
    forward: object  # returns the tensors that the backward pass starts from
    leaves: tuple = ()  # their gradients are new each time; other gradients accumulate
    of_inputs: tuple = ()  # gradients of only these, by torch.autograd.grad
    starts_from: str = "ready"  # the backward pass's first gradient if both passes are timed: ready, drawn, or of a sum


def drawn(*sides, dtype=torch.float32, gradient=True):
    return torch.randn(*sides, dtype=dtype, device="cuda", requires_grad=gradient)


class RmsNorm(torch.nn.Module):
    """Llama's RMSNorm as written in Transformers: in float32, whatever the input's type."""

    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))

    def forward(self, hidden):
        dtype = hidden.dtype
        hidden = hidden.to(torch.float32)
        variance = hidden.pow(2).mean(-1, keepdim=True)
        hidden = hidden * torch.rsqrt(variance + EPSILON)
        return self.weight * hidden.to(dtype)


def relu_squared(width):
    x = drawn(4096, width, dtype=BF16)
    return Benchmark(lambda: torch.square(functional.relu(x)), (x,))


def layer_norm(width):
    x, norm = drawn(4096, width), torch.nn.LayerNorm(width, eps=EPSILON).to("cuda")
    return Benchmark(lambda: norm(x), (x,))


def fused_rms_norm(width):
    x, norm = drawn(4096, 1, width, dtype=BF16), torch.nn.RMSNorm(width, eps=EPSILON).to("cuda", BF16)
    return Benchmark(lambda: norm(x), (x,), starts_from="sum")


def rms_norm(width):
    x, norm = drawn(2048, width, dtype=BF16), RmsNorm(width).to("cuda")
    return Benchmark(lambda: norm(x), (x,))


def add_rms_norm(width):
    x, residual, norm = drawn(2048, width), drawn(2048, width), RmsNorm(width).to("cuda")
    return Benchmark(lambda: norm(x.to(torch.float32) + residual.to(torch.float32)), (x, residual))


def swiglu(width):
    x = drawn(2048, 4, 2 * width, dtype=BF16)

    def forward():
        gate, up = torch.chunk(x, 2, -1)
        return functional.silu(gate) * up

    return Benchmark(forward, (x,), starts_from="sum")


def total_variation(vocabulary):
    p, q = drawn(8 * 2048, vocabulary).softmax(-1), drawn(8 * 2048, vocabulary, gradient=False).softmax(-1)
    return Benchmark(lambda: torch.sum(torch.abs(p - q) / 2.0) / p.size(0))


def kl_divergence(vocabulary):
    p, q = drawn(8 * 2048, vocabulary).log_softmax(-1), drawn(8 * 2048, vocabulary, gradient=False).softmax(-1)
    loss = torch.nn.KLDivLoss(reduction="batchmean")
    return Benchmark(lambda: loss(p, q))


def js_divergence(size, vocabulary=128256):
    log_q = drawn(size, vocabulary).log_softmax(-1)
    log_p = drawn(size, vocabulary, gradient=False).log_softmax(-1)
    divergence = torch.nn.KLDivLoss(reduction="none", log_target=True)

    def forward():
        m = torch.lerp(torch.exp(log_q), torch.exp(log_p), 0.5)
        loss = 0.5 * divergence(torch.log(m), log_p).sum(dim=-1) + 0.5 * divergence(torch.log(m), log_q).sum(dim=-1)
        return (loss / size).sum()

    return Benchmark(forward)


def cross_entropy(vocabulary):
    logits, target = drawn(8 * 2048, vocabulary), torch.randint(vocabulary, (8 * 2048,), device="cuda")
    return Benchmark(lambda: functional.cross_entropy(logits, target))


def complex_rotation(tokens):
    q, k = (drawn(1, tokens, heads, HEAD_WIDTH, dtype=BF16) for heads in (HEADS, KEY_HEADS))
    turns = torch.polar(*(drawn(1, tokens, HEAD_WIDTH // 2, gradient=False) for _ in range(2)))[:, :, None, :]

    def rotated(x):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turns).flatten(3).type_as(x)

    return Benchmark(lambda: (rotated(q), rotated(k)), of_inputs=(q, k))


def rotation(tokens):
    q, k = (drawn(1, tokens, heads, HEAD_WIDTH, dtype=BF16).transpose(1, 2) for heads in (HEADS, KEY_HEADS))
    cosine, sine = (drawn(1, tokens, HEAD_WIDTH, dtype=BF16, gradient=False).unsqueeze(1) for _ in range(2))

    def rotated(x):
        half = x.shape[-1] // 2
        return x * cosine + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sine

    return Benchmark(lambda: (rotated(q), rotated(k)), of_inputs=(q, k))


def embedding(vocabulary):
    table, tokens = torch.nn.Embedding(vocabulary, 4096).to("cuda"), torch.randint(vocabulary, (8, 2048), device="cuda")
    return Benchmark(lambda: table(tokens), starts_from="drawn")


MODULES = {
    made.__name__: made
    for made in (
        relu_squared, layer_norm, fused_rms_norm, rms_norm, add_rms_norm, swiglu, total_variation, kl_divergence, js_divergence,
        cross_entropy, complex_rotation, rotation, embedding,
    )
}  # fmt: skip


def backward(benchmark, results, gradients):
    if benchmark.of_inputs:
        torch.autograd.grad(results, benchmark.of_inputs, gradients, retain_graph=True)
    else:
        torch.autograd.backward(results, gradients, retain_graph=True)


def carried_out(benchmark, which):
    """Returns the function to be timed."""
    if which == "forward":
        return benchmark.forward
    results = benchmark.forward()
    ready = tuple(map(torch.randn_like, results)) if isinstance(results, tuple) else torch.randn_like(results)
    if which == "backward":
        return lambda: backward(benchmark, results, ready)

    def both():
        result = benchmark.forward()
        if benchmark.starts_from == "sum":
            result.sum().backward()
        else:
            backward(benchmark, result, torch.randn_like(result) if benchmark.starts_from == "drawn" else ready)

    return both


def milliseconds(benchmark, which):
    timed = carried_out(benchmark, which)
    timed()
    for leaf in benchmark.leaves:
        leaf.grad = None
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(32):
        torch.empty(1 << 28, dtype=torch.int8, device="cuda").zero_()
    begin.record()
    timed()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def rows_of(gpu):
    with open(TABLE, newline="") as table:
        return [row for row in csv.DictReader(table) if row["gpu"] == gpu]


def errors(gpu):
    """By module and pass: the relative error of the simulated time, for each size."""
    found = {}
    for row in rows_of(gpu):
        taken = milliseconds(MODULES[row["module"]](int(row["size"])), row["pass"])
        found.setdefault((row["module"], row["pass"]), []).append(taken / float(row["milliseconds"]) - 1)
    return found


def row(name, which, found):
    return f"  {name:<18}{which:<9}{len(found):>6}{mean(found):>+8.1%}{mean(map(abs, found)):>8.1%}"


def main():
    found = errors(sys.argv[1])
    if not found:
        sys.exit(f"operators.py: {TABLE.name} has no GPU {sys.argv[1]}")
    print("  module            pass      sizes    bias   error")
    for (module, which), of_sizes in found.items():
        print(row(module, which, of_sizes))
    print(row("all", "", [each for of_sizes in found.values() for each in of_sizes]))


if __name__ == "__main__":
    main()
