"""Scans of linear attention, and the short convolutions and gated norms around them, by the Triton kernels that models are trained with.

Needs flash-linear-attention (fla-core), mamba_ssm's ops.triton and lightning_attn; cases of one that is missing are left out.
"""

from functools import partial
from typing import NamedTuple

import torch

from case import Case, drawn
from clock import copies

F32 = torch.float32


class Scan(NamedTuple):
    kind: str  # as ndsim's linear.kind
    heads: int  # of values
    key_heads: int
    key_dim: int
    value_dim: int
    chunk: int = 64
    of_authors: bool = False  # lightning attention: the kernels of its authors


class Sizes(NamedTuple):
    sequences: int
    tokens: int


MODELS = {
    "qwen3-next-80b-a3b": Scan("gated_delta", 32, 16, 128, 128),
    "kimi-linear-48b-a3b": Scan("kimi_delta", 32, 32, 128, 128),
    "minimax-m1": Scan("lightning", 64, 64, 128, 128),
    "mamba2-2.7b": Scan("mamba2", 80, 1, 128, 64, 256),
    "nemotron-h-8b": Scan("mamba2", 128, 8, 128, 64, 128),
    "nemotron-nano-9b-v2": Scan("mamba2", 128, 8, 128, 80, 128),
}
RANKS = {"qwen3-next-80b-a3b": 4, "kimi-linear-48b-a3b": 4, "minimax-m1": 8, "nemotron-h-8b": 4}  # of tensor parallelism
LENGTHS = (8192, 4096, 32768)


def drawn_heads(sizes, heads, width=None):
    sides = (sizes.sequences, sizes.tokens, heads) if width is None else (sizes.sequences, sizes.tokens, heads, width)
    return drawn(*sides, gradient=True)


def queries_keys_values(scan, sizes):
    return (*(drawn_heads(sizes, scan.key_heads, scan.key_dim) for _ in range(2)), drawn_heads(sizes, scan.heads, scan.value_dim))


def positive(*counts):
    """Learned numbers of heads or channels in fp32: decays, and biases of the steps that they are multiplied by."""
    return [torch.rand(count, dtype=F32, device="cuda").requires_grad_() for count in counts]


def gated_delta(scan, sizes):
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule

    q, k, v = queries_keys_values(scan, sizes)
    gate, strength = drawn_heads(sizes, scan.heads), drawn_heads(sizes, scan.heads)
    decay, bias = positive(scan.heads, scan.heads)
    call = partial(chunk_gated_delta_rule, use_qk_l2norm_in_kernel=True, use_beta_sigmoid_in_kernel=True, use_gate_in_kernel=True,
                   state_v_first=True, A_log=decay, dt_bias=bias)  # fmt: skip
    return lambda: call(q, k, v, gate, strength)[0], (q, k, v, gate, strength, decay, bias)


def kimi_delta(scan, sizes):
    from fla.ops.kda import chunk_kda

    q, k, v = queries_keys_values(scan, sizes)
    gate, strength = drawn_heads(sizes, scan.heads, scan.key_dim), drawn_heads(sizes, scan.heads)
    decay, bias = positive(scan.heads, scan.heads * scan.key_dim)
    call = partial(chunk_kda, use_qk_l2norm_in_kernel=True, use_beta_sigmoid_in_kernel=True, use_gate_in_kernel=True, state_v_first=True)
    return lambda: call(q, k, v, gate, strength, A_log=decay, dt_bias=bias)[0], (q, k, v, gate, strength, decay, bias)


def lightning(scan, sizes):
    if scan.of_authors:
        from lightning_attn.ops import lightning_attn_func

        q, k, v = (drawn(sizes.sequences, scan.heads, sizes.tokens, scan.key_dim, gradient=True) for _ in range(3))
        slopes = torch.rand(scan.heads, 1, 1, dtype=F32, device="cuda")
        return lambda: lightning_attn_func(q, k, v, slopes), (q, k, v)
    from fla.ops.lightning_attn import chunk_lightning_attn

    q, k, v = queries_keys_values(scan, sizes)
    return lambda: chunk_lightning_attn(q, k, v, layer_idx=10, num_layers=80)[0], (q, k, v)


def mamba2(scan, sizes):
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    c, b, x = queries_keys_values(scan, sizes)
    step = drawn_heads(sizes, scan.heads)
    bias, skip, negative = positive(scan.heads, scan.heads, scan.heads)
    decay = negative.detach().neg().requires_grad_()
    return (lambda: mamba_chunk_scan_combined(x, step, decay, b, c, scan.chunk, D=skip, dt_bias=bias, dt_softplus=True),
            (x, step, decay, b, c, skip, bias))  # fmt: skip


KINDS = {"gated_delta": gated_delta, "kimi_delta": kimi_delta, "lightning": lightning, "mamba2": mamba2}


def passes(made, backward):
    """Calls of the forward pass of each of `made`, functions with their inputs, or of the backward pass."""
    if not backward:
        return [call for call, _ in made]
    calls = []
    for call, inputs in made:
        result = call()
        gradient = torch.randn_like(result)
        calls.append(lambda r=result, i=inputs, g=gradient: torch.autograd.grad(r, i, g, retain_graph=True))
    return calls


def scanned(scan, sizes, backward):
    moved = 2 * sizes.sequences * sizes.tokens * (2 * scan.key_heads * scan.key_dim + 2 * scan.heads * scan.value_dim)
    return passes([KINDS[scan.kind](scan, sizes) for _ in range(min(4, copies(moved)))], backward)


def cases_of(family, name, sizes, make, columns):
    for backward in (False, True):
        yield Case(f"{family} {'backward' if backward else 'forward'}", f"{name} {sizes.sequences} x {sizes.tokens} tokens",
                   partial(make, backward=backward), {"sequences": sizes.sequences, "tokens": sizes.tokens, **columns})  # fmt: skip


def scans_of(name, scan, all_sizes):
    for sizes in all_sizes:
        family = f"scan {scan.kind}{' of authors' if scan.of_authors else ''}"
        yield from cases_of(family, name, sizes, partial(scanned, scan, sizes), {"heads": scan.heads, "head_dim": scan.value_dim})


def convolution(width, bias, sizes, backward):
    from fla.modules.causal_conv1d import causal_conv1d

    made = []
    for _ in range(copies(4 * sizes.sequences * sizes.tokens * width)):
        x, weight = drawn(sizes.sequences, sizes.tokens, width, gradient=True), drawn(width, 4, gradient=True)
        biases = (drawn(width, gradient=True),) if bias else ()
        made.append((lambda x=x, w=weight, b=biases: causal_conv1d(x, w, *b, activation="silu")[0], (x, weight, *biases)))
    return passes(made, backward)


def gated_norm(groups, width, by_groups, sizes, backward):
    """A norm of each head, as in delta nets, or of each of a few groups of heads, as in Mamba 2."""
    from fla.modules.fused_norm_gate import rms_norm_gated
    from mamba_ssm.ops.triton.layernorm_gated import rmsnorm_fn

    made = []
    for _ in range(copies(6 * sizes.sequences * sizes.tokens * groups * width)):
        sides = (sizes.sequences * sizes.tokens, groups * width) if by_groups else (sizes.sequences, sizes.tokens, groups, width)
        x, gate = drawn(*sides, gradient=True), drawn(*sides, gradient=True)
        weight = drawn(sides[-1], gradient=True)
        if by_groups:
            call = partial(rmsnorm_fn, x, weight, None, z=gate, eps=1e-5, group_size=width, norm_before_gate=False)
        else:
            call = partial(rms_norm_gated, x, gate, weight, None)
        made.append((call, (x, gate, weight)))
    return passes(made, backward)


def around(name, mixed, bias, groups, width, by_groups):
    for sizes in (Sizes(1, tokens) for tokens in LENGTHS):
        yield from cases_of("short convolution", name, sizes, partial(convolution, mixed, bias, sizes), {"head_dim": mixed})
        if groups:
            yield from cases_of("gated norm", name, sizes, partial(gated_norm, groups, width, by_groups, sizes),
                                {"heads": groups, "head_dim": width})  # fmt: skip


def scans():
    lengths = [Sizes(1, tokens) for tokens in LENGTHS]
    for name, scan in MODELS.items():
        yield from scans_of(name, scan, lengths if scan.kind == "mamba2" else [*lengths, Sizes(4, 4096)])
    for name, ranks in RANKS.items():
        scan = MODELS[name]
        part = scan._replace(heads=scan.heads // ranks, key_heads=scan.key_heads // ranks)
        yield from scans_of(f"{name} of tp {ranks}", part, lengths[:1])
    yield from scans_of("minimax-m1", MODELS["minimax-m1"]._replace(of_authors=True), lengths[:2])
    yield from around("qwen3-next-80b-a3b", 8192, False, 32, 128, False)
    yield from around("kimi-linear-48b-a3b", 4096, False, 0, 0, False)  # each of three
    yield from around("mamba2-2.7b", 5376, True, 1, 5120, True)
    yield from around("nemotron-h-8b", 10240, True, 8, 1024, True)
