"""Launches by the host, copies between host and GPU, and the memory's bandwidth."""

import time
from statistics import median

import torch
from torch.nn import functional

from case import BF16, drawn
from clock import SIMULATED, elapsed, keep_busy


def host_seconds(call, count=400):
    """The host's seconds for a call that the GPU carries out faster."""
    for _ in range(20):
        call()
    times = []
    for _ in range(1 if SIMULATED else 7):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - begin) / count)
    torch.cuda.synchronize()
    return median(times)


def until_done(call, count=100):
    """Seconds of a call followed by waiting for the GPU."""
    call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        call()
        torch.cuda.synchronize()
    return (time.perf_counter() - begin) / count


def small_calls():
    """Calls that launch one or a few small kernels."""
    x, y, w = (drawn(64, 64) for _ in range(3))
    wide, norm = drawn(8, 64), drawn(64)
    leaf = drawn(64, 64, gradient=True)
    layer = torch.nn.Linear(64, 64).to("cuda", BF16)
    q = drawn(1, 4, 64, 64)
    parameters = [torch.nn.Parameter(drawn(64, 64)) for _ in range(50)]
    for each in parameters:
        each.grad = torch.zeros_like(each)
    optimizer = torch.optim.AdamW(parameters, fused=True)
    table, tokens = drawn(100, 64), torch.zeros(8, dtype=torch.int64, device="cuda")

    def both():
        layer(leaf).sum().backward()

    return {
        "view": lambda: x.view(-1),
        "add": lambda: x + y,
        "add in place": lambda: x.add_(y),
        "mm": lambda: torch.mm(x, w),
        "linear with bias": lambda: layer(x),
        "addmm without gradient": torch.no_grad()(lambda: layer(x)),
        "rms_norm": lambda: functional.rms_norm(wide, (64,), norm),
        "layer_norm": lambda: functional.layer_norm(wide, (64,), norm, norm),
        "silu": lambda: functional.silu(x),
        "copy": lambda: y.copy_(x),
        "float": lambda: x.float(),
        "cat": lambda: torch.cat((x, y)),
        "embedding": lambda: functional.embedding(tokens, table),
        "attention": lambda: functional.scaled_dot_product_attention(q, q, q, is_causal=True),
        "empty": lambda: torch.empty(64, 64, device="cuda"),
        "linear, sum, backward": both,
        "fused AdamW of 50": optimizer.step,
    }


def launches():
    for name, call in small_calls().items():
        yield f"host, {name}", host_seconds(call, 200)
    x = drawn(64, 64)
    yield "host, add and wait", until_done(lambda: x.add_(1))
    yield "host, item", until_done(lambda: x[0, 0].item())


def of_graph(call, count):
    """Seconds of one of `count` calls in a CUDA graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(count):
            call()
    graph.replay()
    return median(elapsed([graph.replay]) for _ in range(1 if SIMULATED else 10)) / count


def graphs():
    for name, rows in (("4 KiB", 32), ("128 KiB", 1024), ("1 MiB", 8192), ("8 MiB", 65536)):
        x, y = drawn(rows, 64), drawn(rows, 64)
        yield f"graph, add in place of {name}", of_graph(lambda x=x, y=y: x.add_(y), 200)
    for rows in (64, 512):
        a, b = drawn(rows, 512), drawn(512, 512)
        yield f"graph, mm of {rows} x 512 x 512", of_graph(lambda a=a, b=b: torch.mm(a, b), 200)


def copies_of_host():
    for size in (1 << 16, 1 << 20, 1 << 24, 1 << 28):
        on_gpu = torch.empty(size, dtype=torch.int8, device="cuda")
        for kind in ("pinned", "pageable"):
            on_host = torch.zeros(size, dtype=torch.int8, pin_memory=kind == "pinned")
            for name, call in (
                ("to the GPU", lambda h=on_host, g=on_gpu: g.copy_(h, non_blocking=True)),
                ("to the host", lambda h=on_host, g=on_gpu: h.copy_(g, non_blocking=True)),
            ):
                yield f"copy {name}, {kind}, {size >> 10} KiB", until_done(call, 10)


def repeated(call, count=8):
    keep_busy(500e-6)
    return elapsed([call] * count) / count


def bandwidth():
    for size in (1 << 20, 1 << 24, 1 << 28, 1 << 31):
        a, b = (torch.ones(size, dtype=torch.int8, device="cuda") for _ in range(2))
        for name, call in (("copy", lambda a=a, b=b: a.copy_(b)), ("fill", lambda a=a: a.zero_())):
            elapsed([call])
            yield f"device {name}, {size >> 10} KiB", median(repeated(call) for _ in range(1 if SIMULATED else 12))


def rows():
    """Names and seconds."""
    for part in (launches, graphs, copies_of_host, bandwidth):
        yield from part()
