"""Whole training steps of models in plain PyTorch: seconds, memory, and kernels."""

import time
from functools import partial
from statistics import median
from typing import NamedTuple

import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from case import BF16
from scaled_linear import ScaledLinear
from traffic import rotary


class Model(NamedTuple):
    layers: int
    hidden: int
    ffn: int
    heads: int
    key_heads: int
    vocabulary: int = 128256
    experts: int = 0
    chosen: int = 0
    is_gpt: bool = False  # LayerNorm, GeLU, biases, learned positions


class Run(NamedTuple):
    model: Model
    tokens: int
    sequences: int = 1
    compiled: bool = False
    recomputed: bool = False
    mixed: bool = False  # fp32 parameters under autocast, else all in bf16
    linear: str = ""  # of the layers: tensor-wise or row-wise in fp8
    foreach: bool = False


class Attention(torch.nn.Module):
    def __init__(self, model, linear):
        super().__init__()
        self.heads, self.key_heads = model.heads, model.key_heads
        self.is_gpt = model.is_gpt
        width = model.hidden // model.heads
        self.q, self.out = linear(model.hidden, model.hidden), linear(model.hidden, model.hidden)
        self.k, self.v = (linear(model.hidden, width * model.key_heads) for _ in range(2))

    def forward(self, x, turns):
        batch, tokens, _ = x.shape
        q = self.q(x).view(batch, tokens, self.heads, -1).transpose(1, 2)
        k, v = (each(x).view(batch, tokens, self.key_heads, -1).transpose(1, 2) for each in (self.k, self.v))
        if not self.is_gpt:
            q, k = rotary(q, *turns), rotary(k, *turns)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.key_heads < self.heads)
        return self.out(y.transpose(1, 2).reshape(batch, tokens, -1))


class FeedForward(torch.nn.Module):
    def __init__(self, model, linear):
        super().__init__()
        self.is_gpt = model.is_gpt
        self.gate = None if model.is_gpt else linear(model.hidden, model.ffn)
        self.up, self.down = linear(model.hidden, model.ffn), linear(model.ffn, model.hidden)

    def forward(self, x):
        return self.down(functional.gelu(self.up(x)) if self.is_gpt else functional.silu(self.gate(x)) * self.up(x))


class Experts(torch.nn.Module):
    """As torchtitan's: tokens sorted by expert, products of all experts in one kernel."""

    def __init__(self, model):
        super().__init__()
        self.experts, self.chosen = model.experts, model.chosen
        self.router = torch.nn.Linear(model.hidden, model.experts, bias=False)
        self.up = torch.nn.Parameter(torch.randn(model.experts, 2 * model.ffn, model.hidden) * 0.02)
        self.down = torch.nn.Parameter(torch.randn(model.experts, model.hidden, model.ffn) * 0.02)

    def forward(self, x):
        rows = x.view(-1, x.shape[-1])
        shares, of_tokens = self.router(rows).softmax(-1).topk(self.chosen)
        flat = of_tokens.view(-1)
        order = flat.argsort(stable=True)
        counts = (flat.unsqueeze(0) == torch.arange(self.experts, device=flat.device).unsqueeze(1)).sum(1)
        ends = counts.cumsum(0).to(torch.int32)
        both = torch._grouped_mm(rows[order // self.chosen], self.up.transpose(-2, -1), ends)
        gate, up = both.chunk(2, -1)
        done = torch._grouped_mm(functional.silu(gate) * up, self.down.transpose(-2, -1), ends)
        back = torch.empty_like(done).index_copy(0, order, done)
        return (back.view(len(rows), self.chosen, -1) * shares.unsqueeze(-1)).sum(1).view_as(x)


class Block(torch.nn.Module):
    def __init__(self, model, linear):
        super().__init__()
        norm = torch.nn.LayerNorm if model.is_gpt else torch.nn.RMSNorm
        self.norm, self.norm2 = norm(model.hidden, eps=1e-5), norm(model.hidden, eps=1e-5)
        self.attention = Attention(model, linear)
        self.feed_forward = Experts(model) if model.experts else FeedForward(model, linear)

    def forward(self, x, turns):
        x = x + self.attention(self.norm(x), turns)
        return x + self.feed_forward(self.norm2(x))


class Transformer(torch.nn.Module):
    def __init__(self, run):
        super().__init__()
        model = run.model
        plain = partial(torch.nn.Linear, bias=model.is_gpt)
        linear = partial(ScaledLinear, by_rows=run.linear == "row-wise") if run.linear else plain
        self.embedding = torch.nn.Embedding(model.vocabulary, model.hidden)
        self.positions = torch.nn.Embedding(run.tokens, model.hidden) if model.is_gpt else None
        self.blocks = torch.nn.ModuleList(Block(model, linear) for _ in range(model.layers))
        self.norm = (torch.nn.LayerNorm if model.is_gpt else torch.nn.RMSNorm)(model.hidden, eps=1e-5)
        self.output = torch.nn.Linear(model.hidden, model.vocabulary, bias=False)
        self.recomputed = run.recomputed
        angles = torch.outer(torch.arange(run.tokens), 500000 ** -torch.linspace(0, 1, model.hidden // model.heads // 2)).repeat(1, 2)
        for name, turn in (("cosine", angles.cos()), ("sine", angles.sin())):
            self.register_buffer(name, turn.to(BF16), persistent=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        if self.positions is not None:
            x = x + self.positions.weight
        for block in self.blocks:
            turns = self.cosine, self.sine
            x = checkpoint(block, x, turns, use_reentrant=False) if self.recomputed else block(x, turns)
        return self.output(self.norm(x))


def loss_of(logits, target):
    return functional.cross_entropy(logits.flatten(0, 1).float(), target.flatten())


def step_of(run):
    """One training step, as a function."""
    torch.manual_seed(0)
    with torch.device("cuda"):
        model = Transformer(run)
    if not run.mixed:
        model.to(BF16)
    loss = loss_of
    if run.compiled:
        loss = torch.compile(loss_of)
        for block in model.blocks:
            block.compile(dynamic=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=not run.foreach, foreach=run.foreach)
    tokens = torch.randint(run.model.vocabulary, (run.sequences, run.tokens + 1), device="cuda")

    def step():
        with torch.autocast("cuda", dtype=BF16, enabled=run.mixed):
            value = loss(model(tokens[:, :-1]), tokens[:, 1:])
        value.backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def measure(run, warm_up=3, count=10):
    """Seconds of a step, seconds that the host needs for it, and peaks of memory."""
    step = step_of(run)
    for _ in range(warm_up):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    held = torch.cuda.memory_allocated()
    times, hosts = [], []
    for _ in range(count):
        begin = time.perf_counter()
        step()
        hosts.append(time.perf_counter() - begin)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    measured = {
        "seconds": median(times),
        "host_seconds": median(hosts),
        "held": held,
        "allocated": torch.cuda.max_memory_allocated(),
        "reserved": torch.cuda.max_memory_reserved(),
    }
    return measured, step


LLAMA_1B = Model(16, 2048, 8192, 32, 8)
LLAMA_8B = Model(4, 4096, 14336, 32, 8)
GPT_SMALL = Model(12, 768, 3072, 12, 12, 50257, is_gpt=True)
GPT_1B = Model(24, 2048, 8192, 16, 16, 50304, is_gpt=True)
EXPERTS = Model(4, 2048, 768, 32, 4, 151936, 64, 8)

RUNS = {
    "llama3-8b of 4 layers, 8192 tokens": Run(LLAMA_8B, 8192),
    "llama3-8b of 4 layers, 8192 tokens, compiled": Run(LLAMA_8B, 8192, compiled=True),
    "llama3-8b of 4 layers, 8192 tokens, recomputed": Run(LLAMA_8B, 8192, recomputed=True),
    "llama3.2-1b, 4096 tokens": Run(LLAMA_1B, 4096),
    "llama3.2-1b, 4096 tokens, compiled": Run(LLAMA_1B, 4096, compiled=True),
    "gpt of 125m, 512 tokens": Run(GPT_SMALL, 512),
    "gpt of 125m, 512 tokens, foreach": Run(GPT_SMALL, 512, foreach=True),
    "64 experts, 4 layers, 4096 tokens": Run(EXPERTS, 4096),
    "llama3-8b of 4 layers, 8192 tokens, compiled, fp8 tensor-wise": Run(LLAMA_8B, 8192, compiled=True, linear="tensor-wise"),
    "llama3-8b of 4 layers, 8192 tokens, compiled, fp8 row-wise": Run(LLAMA_8B, 8192, compiled=True, linear="row-wise"),
    "llama3.2-1b, 2 x 4096 tokens, fp32 and autocast": Run(LLAMA_1B, 4096, 2, mixed=True),
    "gpt of 1.3b, 4 x 2048 tokens": Run(GPT_1B, 2048, 4),
    "gpt of 1.3b, 4 x 2048 tokens, compiled": Run(GPT_1B, 2048, 4, compiled=True),
    "llama3-8b of 4 layers, 2 x 8192 tokens": Run(LLAMA_8B, 8192, 2),
    "llama3-8b of 4 layers, 4 x 2048 tokens": Run(LLAMA_8B, 2048, 4),
    "llama3-8b of 2 layers, 32768 tokens, recomputed": Run(LLAMA_8B._replace(layers=2), 32768, recomputed=True),
    "llama3.2-1b, 4096 tokens, recomputed": Run(LLAMA_1B, 4096, recomputed=True),
    "64 experts, 4 layers, 4096 tokens, compiled": Run(EXPERTS, 4096, compiled=True),
    "gpt of 125m, 8 x 1024 tokens": Run(GPT_SMALL, 1024, 8),
}
