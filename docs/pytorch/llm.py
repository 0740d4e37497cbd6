"""The model of train_llm.py: a GPT (LayerNorm, learned positions, GELU) or a Llama (RMSNorm, rotations, SwiGLU).

Recomputation: "full" keeps a block's input alone. "selective" keeps what is dear to compute and small: attention, and
about every second matrix product, as torchtitan does.
"""

import dataclasses

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


@dataclasses.dataclass
class Shape:
    arch: str
    layers: int
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    vocab: int
    sequence: int
    bias: bool
    tied: bool
    attention: str
    recompute: str


class Kept:
    """The results of a block's first run, for its second, in the order of use."""

    def __init__(self):
        self.runs, self.results = 0, []


class KeptLinear(torch.autograd.Function):
    """x @ W.T, computed once. The second run finds its result, or, where nothing needs it again, memory without one."""

    @staticmethod
    def forward(ctx, x, weight, kept, needed):
        ctx.save_for_backward(x, weight)
        if kept.runs == 1:
            result = F.linear(x, weight)
            if needed:
                kept.results.append(result.detach())
            return result
        return kept.results.pop(0) if needed else x.new_empty(*x.shape[:-1], len(weight))

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        # Under autocast the product was of another type than x and the weight.
        of_x = gradient @ weight.to(gradient.dtype)
        of_weight = gradient.flatten(0, -2).t() @ x.to(gradient.dtype).flatten(0, -2)
        return of_x.to(x.dtype), of_weight.to(weight.dtype), None, None


class KeptAttention(torch.autograd.Function):
    """Attention, computed once: with what its backward needs, the second run finds its result."""

    @staticmethod
    def forward(ctx, q, k, v, attend, kept):
        if kept.runs == 1:
            # Its own graph, whose tensors are not the checkpoint's to drop.
            with torch.enable_grad(), saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
                inputs = [tensor.detach().requires_grad_() for tensor in (q, k, v)]
                kept.results.append((inputs, attend(*inputs)))
            ctx.graph = kept.results[-1]
            return ctx.graph[1].detach()
        return kept.results.pop(0)[1].detach()

    @staticmethod
    def backward(ctx, gradient):
        inputs, result = ctx.graph
        return (*torch.autograd.grad(result, inputs, gradient), None, None)


def flash_attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def plain_attention(q, k, v):
    """The whole matrix of scores, masked. Its softmax has their type, as that of a fused kernel: autocast would take fp32."""
    scores = (q @ k.transpose(-2, -1)) * q.shape[-1] ** -0.5
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
    return scores.masked_fill(hidden, float("-inf")).softmax(dim=-1, dtype=scores.dtype) @ v


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).type_as(x) * self.weight


def angles(shape, base=500_000.0):
    """Rotations by position and pair of columns: cosine and sine, the two parts of a complex number."""
    width = shape.hidden // shape.heads
    speeds = base ** (-torch.arange(0, width, 2).float() / width)
    turns = torch.outer(torch.arange(shape.sequence).float(), speeds)
    return torch.stack([turns.cos(), turns.sin()], dim=-1)


def rotate(x, rotations):
    """x: batch, position, head, column."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * torch.view_as_complex(rotations)[: x.shape[1], None]).flatten(-2).type_as(x)


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        llama, width = shape.arch == "llama", shape.hidden
        self.of_keys = width // shape.heads * shape.kv_heads
        norm = RMSNorm if llama else nn.LayerNorm
        self.norms = nn.ModuleList([norm(width), norm(width)])
        sizes = {"query": (width, width), "key": (width, self.of_keys), "value": (width, self.of_keys), "project": (width, width)}
        if not llama:
            sizes = {"qkv": (width, width + 2 * self.of_keys), "project": (width, width)}
        sizes |= {"gate": (width, shape.ffn)} if llama else {}
        sizes |= {"up": (width, shape.ffn), "down": (shape.ffn, width)}
        self.linears = nn.ModuleDict({name: nn.Linear(*size, bias=shape.bias) for name, size in sizes.items()})
        for linear in self.linears.values():
            nn.init.normal_(linear.weight, std=0.02)

    # By name, what selective recomputation does not compute twice; True: its result is needed again.
    computed_once = {"query": False, "value": False, "gate": True, "down": False, "qkv": False}

    def linear(self, name, x, kept):
        layer = self.linears[name]
        if kept is None or name not in self.computed_once or layer.bias is not None:
            return layer(x)
        return KeptLinear.apply(x, layer.weight, kept, self.computed_once[name])

    def attend(self, q, k, v):
        copies = self.shape.heads // self.shape.kv_heads
        if copies > 1:
            k, v = (x.repeat_interleave(copies, dim=1) for x in (k, v))
        return (flash_attention if self.shape.attention == "flash" else plain_attention)(q, k, v)

    def attention(self, x, rotations, kept):
        if self.shape.arch == "llama":
            q, k, v = (self.linear(name, x, kept) for name in ("query", "key", "value"))
        else:
            q, k, v = self.linear("qkv", x, kept).split([self.shape.hidden, self.of_keys, self.of_keys], dim=-1)
        q, k, v = (y.unflatten(-1, (-1, self.shape.hidden // self.shape.heads)) for y in (q, k, v))
        if rotations is not None:
            q, k = rotate(q, rotations), rotate(k, rotations)
        q, k, v = (y.transpose(1, 2) for y in (q, k, v))
        y = self.attend(q, k, v) if kept is None else KeptAttention.apply(q, k, v, self.attend, kept)
        return self.linear("project", y.transpose(1, 2).flatten(2), kept)

    def mlp(self, x, kept):
        if self.shape.arch == "llama":
            return self.linear("down", F.silu(self.linear("gate", x, kept)) * self.linear("up", x, kept), kept)
        return self.linear("down", F.gelu(self.linear("up", x, kept)), kept)

    def compute(self, x, rotations, kept):
        if kept is not None:
            kept.runs += 1
        x = x + self.attention(self.norms[0](x), rotations, kept)
        return x + self.mlp(self.norms[1](x), kept)

    def forward(self, x, rotations):
        if self.shape.recompute == "none":
            return self.compute(x, rotations, None)
        kept = Kept() if self.shape.recompute == "selective" else None
        return checkpoint(self.compute, x, rotations, kept, use_reentrant=False, preserve_rng_state=False)


class Model(nn.Module):
    """`finish_block` is called with each block as it is made, and returns what takes its place."""

    def __init__(self, shape, finish_block):
        super().__init__()
        self.embedding = nn.Embedding(shape.vocab, shape.hidden)
        self.positions = nn.Embedding(shape.sequence, shape.hidden) if shape.arch == "gpt" else None
        self.blocks = nn.ModuleList([finish_block(Block(shape)) for _ in range(shape.layers)])
        self.norm = (RMSNorm if shape.arch == "llama" else nn.LayerNorm)(shape.hidden)
        self.head = nn.Linear(shape.hidden, shape.vocab, bias=False)
        for layer in (self.embedding, self.head):
            nn.init.normal_(layer.weight, std=0.02)
        if shape.tied:
            self.head.weight = self.embedding.weight
        self.register_buffer("rotations", angles(shape) if shape.arch == "llama" else None, persistent=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        if self.positions is not None:
            x = x + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x, self.rotations)
        return self.head(self.norm(x))
