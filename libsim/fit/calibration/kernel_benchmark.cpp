#include "libsim/fit/calibration/kernel_table.hpp"

namespace sim::fit {

namespace {

// The script rotates its buffers, so that a kernel reads from memory and not from the previous kernel's cache, and
// launches them from a CUDA graph, so that host time does not count.
constexpr std::string_view benchmark_script = R"py(#!/usr/bin/env python3
"""Times matrix products, copies and attention on one GPU, as a table for `ndsim calibrate --benchmark`.

    python3 benchmark.py > kernels.csv          # a minute or two; needs PyTorch 2 and an idle GPU
"""
import statistics
import sys

import torch
import torch.nn.functional as F

COLUMNS = "kind,precision,m,n,k,bytes,sequences,heads,head_dim,tokens,seconds".split(",")
CACHE = 256 << 20  # bytes: more than any GPU's second-level cache
DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def seconds_of(calls):
    """Returns the median seconds of one call, going round all calls."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for call in calls:
            call()
    torch.cuda.synchronize()
    rounds = max(1, 20 // len(calls))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(rounds):
            for call in calls:
                call()
    times = []
    for _ in range(7):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3 / (rounds * len(calls)))
    return statistics.median(times[2:])


def copies_of(one_size):
    """Returns the number of buffer sets of this size that overflow the cache."""
    return max(1, min(64, CACHE // max(one_size, 1) + 1))


def product(precision, m, n, k):
    if precision == "fp8":
        def buffers():
            a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16).to(torch.float8_e4m3fn)
            b = torch.randn(n, k, device="cuda", dtype=torch.bfloat16).to(torch.float8_e4m3fn).t()
            return a, b
        scale = torch.ones((), device="cuda")
        sets = [buffers() for _ in range(copies_of(m * k + k * n + 2 * m * n))]
        return [lambda a=a, b=b: torch._scaled_mm(a, b, scale, scale, out_dtype=torch.bfloat16) for a, b in sets]
    dtype = DTYPES[precision]
    sets = [(torch.randn(m, k, device="cuda", dtype=dtype), torch.randn(n, k, device="cuda", dtype=dtype).t(),
             torch.empty(m, n, device="cuda", dtype=dtype)) for _ in range(copies_of(2 * (m * k + k * n + m * n)))]
    return [lambda a=a, b=b, c=c: torch.mm(a, b, out=c) for a, b, c in sets]


def memory(size):
    count = size // 4  # bf16, once read and once written
    sets = [(torch.empty(count, device="cuda", dtype=torch.bfloat16), torch.empty(count, device="cuda", dtype=torch.bfloat16))
            for _ in range(copies_of(size))]
    return [lambda a=a, b=b: torch.neg(a, out=b) for a, b in sets]


def attention(heads, head_dim, tokens, backward):
    query, key, value = (torch.randn(1, heads, tokens, head_dim, device="cuda", dtype=torch.bfloat16, requires_grad=True)
                         for _ in range(3))
    flash = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION)
    if not backward:
        def forward():
            with flash, torch.no_grad():
                F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return [forward]
    with flash:
        result = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    grad = torch.randn_like(result)
    return [lambda: torch.autograd.grad(result, (query, key, value), grad, retain_graph=True)]


def row(make, **fields):
    """Prints one line; reports and leaves out kernels that this GPU or this PyTorch cannot run."""
    try:
        fields["seconds"] = f"{seconds_of(make()):.6e}"
        print(",".join(str(fields.get(column, "")) for column in COLUMNS), flush=True)
    except (RuntimeError, AttributeError, TypeError) as error:
        print(f"# left out: {fields}: {str(error).splitlines()[0]}", file=sys.stderr)
    finally:
        torch.cuda.empty_cache()


def main():
    print("#", torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    print(",".join(COLUMNS))
    for precision in ("bf16", "fp8"):
        for m in (64, 256, 1024, 4096, 16384):
            for n in (1024, 4096, 8192):
                for k in (64, 1024, 8192):
                    row(lambda: product(precision, m, n, k), kind="forward", precision=precision, m=m, n=n, k=k)
    for odd in (1000, 4000, 8200):
        row(lambda: product("bf16", 8192, odd, 4096), kind="forward", precision="bf16", m=8192, n=odd, k=4096)
        row(lambda: product("bf16", 8192, 4096, odd), kind="forward", precision="bf16", m=8192, n=4096, k=odd)
    for power in range(14, 32):
        row(lambda: memory(1 << power), kind="memory", bytes=1 << power)
    for tokens in (1024, 2048, 4096, 8192, 16384):
        for heads in (8, 32):
            for kind in ("flash_forward", "flash_backward"):
                row(lambda: attention(heads, 128, tokens, kind == "flash_backward"), kind=kind, precision="bf16",
                    sequences=1, heads=heads, head_dim=128, tokens=tokens)


if __name__ == "__main__":
    main()
)py";

}  // namespace

std::string_view kernel_benchmark() {
    return benchmark_script;
}

}  // namespace sim::fit
