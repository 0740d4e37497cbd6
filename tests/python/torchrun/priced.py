"""Programs under a price list: every operator is priced as it is dispatched, and attention is one kernel."""

from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from ndsim.torchrun.prices import PriceList


def meta(*shape, dtype=torch.bfloat16):
    return torch.empty(*shape, dtype=dtype, device="meta")


def of_newer(schema, *args, out=None, **kwargs):
    """The price of an operator that only a newer torch has, by its schema."""
    func = SimpleNamespace(_schema=torch._C.parse_schema(schema))
    prices = PriceList("dgx-h100")
    return prices.price(func, args, kwargs, out), prices


class Priced(TorchDispatchMode):
    """Collects the kernels of what runs within it."""

    def __init__(self, machine="dgx-h100", compiled=False):
        super().__init__()
        self.prices = PriceList(machine)
        self.prices.compiled = compiled
        self.kernels = []
        self.operators = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.operators.append(func._schema.name)
        self.kernels += self.prices.kernels(func, args, kwargs, out)
        return out

    def __exit__(self, *error):
        super().__exit__(*error)
        self.kernels += self.prices.flush()

    @property
    def seconds(self):
        return sum(picoseconds for _, picoseconds in self.kernels) * 1e-12


class OneKernel(torch.autograd.Function):
    """What scaled_dot_product_attention is to a GPU; torch 1.13 makes several operators of it."""

    @staticmethod
    def forward(context, query, key, value, priced, causal):
        context.save_for_backward(query, key, value)
        context.priced, context.causal = priced, causal
        priced.kernels.append(priced.prices.attention(query, key, value, causal))
        return torch.empty_like(query)

    @staticmethod
    def backward(context, gradient):
        query, key, value = context.saved_tensors
        priced = context.priced
        priced.kernels.append(priced.prices.attention(query, key, value, context.causal, is_backward=True))
        return torch.empty_like(query), torch.empty_like(key), torch.empty_like(value), None, None


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).type_as(x) * self.weight


def turned(x, turns):
    """Rotary positions, as Llama's own code has them: turns are complex numbers."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turns).flatten(-2).type_as(x)


class LlamaBlock(nn.Module):
    def __init__(self, hidden, heads, kv_heads, ffn, priced):
        super().__init__()
        self.heads, self.kv_heads, self.width = heads, kv_heads, hidden // heads
        self.priced = priced
        self.first, self.second = RMSNorm(hidden), RMSNorm(hidden)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.key = nn.Linear(hidden, kv_heads * self.width, bias=False)
        self.value = nn.Linear(hidden, kv_heads * self.width, bias=False)
        self.projection = nn.Linear(hidden, hidden, bias=False)
        self.gate = nn.Linear(hidden, ffn, bias=False)
        self.up = nn.Linear(hidden, ffn, bias=False)
        self.down = nn.Linear(ffn, hidden, bias=False)

    def forward(self, x, turns):
        batch, tokens, hidden = x.shape
        normed = self.first(x)
        query = turned(self.query(normed).view(batch, tokens, self.heads, -1), turns).transpose(1, 2)
        key = turned(self.key(normed).view(batch, tokens, self.kv_heads, -1), turns).transpose(1, 2)
        value = self.value(normed).view(batch, tokens, self.kv_heads, -1).transpose(1, 2)
        values = OneKernel.apply(query, key, value, self.priced, True)
        x = x + self.projection(values.transpose(1, 2).reshape(batch, tokens, hidden))
        normed = self.second(x)
        return x + self.down(functional.silu(self.gate(normed)) * self.up(normed))


class GPTBlock(nn.Module):
    """With attention written out, and dropout."""

    def __init__(self, hidden, heads, tokens, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.first, self.second = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.all = nn.Linear(hidden, 3 * hidden)
        self.projection = nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)
        self.register_buffer("mask", torch.tril(torch.ones(tokens, tokens)).view(1, 1, tokens, tokens))

    def forward(self, x):
        batch, tokens, hidden = x.shape
        width = hidden // self.heads
        parts = self.all(self.first(x)).split(hidden, dim=2)
        query, key, value = (part.view(batch, tokens, self.heads, width).transpose(1, 2) for part in parts)
        scores = (query @ key.transpose(-2, -1)) * width**-0.5
        scores = scores.masked_fill(self.mask[:, :, :tokens, :tokens] == 0, float("-inf"))
        weights = functional.dropout(functional.softmax(scores, -1), self.dropout)
        values = (weights @ value).transpose(1, 2).contiguous().view(batch, tokens, hidden)
        x = x + functional.dropout(self.projection(values), self.dropout)
        return x + functional.dropout(self.down(functional.gelu(self.up(self.second(x)))), self.dropout)


def llama_block(priced, tokens, hidden=4096, heads=32, kv_heads=8, ffn=14336, batch=1, dtype=torch.bfloat16):
    """A block of Llama 3 8B and its input, without memory."""
    block = LlamaBlock(hidden, heads, kv_heads, ffn, priced).to("meta", dtype)
    x = torch.empty(batch, tokens, hidden, dtype=dtype, device="meta", requires_grad=True)
    turns = torch.empty(tokens, 1, hidden // heads // 2, device="meta", dtype=torch.complex64)
    return block, x, turns
