"""flash_attn's interface on simulated GPUs: the numbers of attention's definition, and the price of its kernels."""

import pytest

BEGIN = """
    import math
    import torch
    import flash_attn
    from flash_attn import flash_attn_func, flash_attn_qkvpacked_func, flash_attn_varlen_func

    def defined(query, key, value, causal=False, window=(-1, -1), softcap=0.0, slopes=None):
        query, key, value = (each.float().transpose(1, 2) for each in (query, key, value))
        key, value = (each.repeat_interleave(query.shape[1] // key.shape[1], 1) for each in (key, value))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if softcap:
            scores = softcap * (scores / softcap).tanh()
        queries, keys = scores.shape[-2:]
        distance = torch.arange(keys) - (torch.arange(queries)[:, None] + keys - queries)
        if slopes is not None:
            scores = scores - slopes[:, None, None] * distance.abs()
        window = (window[0], 0 if causal else window[1])
        hidden = (distance < -window[0]) & (window[0] >= 0) | (distance > window[1]) & (window[1] >= 0)
        return (scores.masked_fill(hidden, -math.inf).softmax(-1).nan_to_num(0) @ value).transpose(1, 2)

    def drawn(tokens, heads):
        return torch.randn(2, tokens, heads, 16).to(torch.bfloat16)

    def compare(ours, theirs, given, on_gpu):
        gradient = torch.randn_like(theirs)
        theirs.backward(gradient)
        ours.backward(gradient.to(torch.bfloat16).cuda())
        for one, other in [(ours, theirs), *((a.grad, b.grad) for a, b in zip(on_gpu, given))]:
            assert torch.allclose(one.cpu().float(), other.float(), rtol=0.02, atol=0.03), (one.cpu() - other).abs().max()

    def pair(*tensors):
        return [[each.clone().to(device).requires_grad_() for each in tensors] for device in ("cpu", "cuda")]
"""


@pytest.mark.parametrize(
    ("tokens", "keys", "key_heads", "how"),
    [
        (16, 16, 4, {"causal": True}),
        (8, 24, 2, {"causal": True}),
        (24, 8, 1, {"causal": True}),
        (16, 20, 2, {"window": (3, 2)}),
        (16, 16, 4, {"causal": True, "softcap": 2.0}),
        (12, 16, 2, {"causal": True, "slopes": [0.5, 0.25, 0.125, 0.0625]}),
    ],
)
def test_attention_is_that_of_its_definition(script, tokens, keys, key_heads, how):
    text = f"""
    how = {how!r}
    on_cpu, on_gpu = pair(drawn({tokens}, 4), drawn({keys}, {key_heads}), drawn({keys}, {key_heads}))
    slopes = torch.tensor(how.pop("slopes")) if "slopes" in how else None
    theirs = defined(*on_cpu, slopes=slopes, **how)
    window = how.pop("window", (-1, -1))
    ours = flash_attn_func(*on_gpu, window_size=window, alibi_slopes=None if slopes is None else slopes.cuda(), **how)
    compare(ours, theirs, on_cpu, on_gpu)
    """
    done = script(BEGIN + text, "--nproc", 1)
    assert done.returncode == 0, done.stderr


def test_packed_sequences_and_packed_tensors_are_those_that_are_given_singly(script):
    text = """
    three = [drawn(8, 4) for _ in range(3)]
    on_cpu, on_gpu = pair(*three)
    compare(flash_attn_func(*on_gpu, causal=True), defined(*on_cpu, causal=True), on_cpu, on_gpu)
    starts = torch.tensor([0, 3, 8], dtype=torch.int32, device="cuda")
    packed = pair(torch.stack(three, 2))[1][0]
    result = flash_attn_qkvpacked_func(packed, causal=True)
    result.sum().backward()
    single = flash_attn_func(*(each.detach() for each in packed.unbind(2)), causal=True)
    assert torch.equal(result, single)
    assert packed.grad.shape == packed.shape and packed.grad[:, :, 2].abs().sum() > 0
    rows = [each[0].cuda() for each in three]
    several = flash_attn_varlen_func(*rows, starts, starts, 5, 5, causal=True)
    for begin, end in ((0, 3), (3, 8)):
        alone = flash_attn_func(*(each[None, begin:end] for each in rows), causal=True)[0]
        assert torch.allclose(several[begin:end].float(), alone.float(), atol=0.01)
    """
    done = script(BEGIN + text, "--nproc", 1)
    assert done.returncode == 0, done.stderr


def test_it_is_one_kernel_forward_and_one_backward_and_nothing_is_guessed(answer):
    text = """
    for softcap in (0.0, 5.0):
        q, k, v = pair(drawn(64, 4), drawn(64, 4), drawn(64, 4))[1]
        flash_attn_func(q, k, v, causal=True, softcap=softcap).sum().backward()
    """
    rows = {row["operator"]: row for row in answer(BEGIN + text, "--nproc", 1, "--explain-cost")["operators"]}
    for name in ("_flash_attention_forward", "_flash_attention_backward"):
        assert rows[name]["count"] == 2
    assert not any("bmm" in name for name in rows)


def test_hollow_it_has_the_time_of_the_real_one(answer):
    text = """
    from flash_attn.ops.triton.layer_norm import rms_norm_fn
    from flash_attn.layers.rotary import apply_rotary_emb
    weight = torch.ones(16, device="cuda", requires_grad=True)
    starts = torch.tensor([0, 100, 512], dtype=torch.int32, device="cuda")
    for softcap in (0.0, 5.0):
        q, k, v = (torch.randn(512, 4, 16, device="cuda", dtype=torch.bfloat16).requires_grad_() for _ in range(3))
        turned = apply_rotary_emb(q.unsqueeze(0), torch.ones(512, 8, device="cuda"), torch.ones(512, 8, device="cuda"))[0]
        y = flash_attn_varlen_func(turned, k, v, starts, starts, 412, 412, causal=True, softcap=softcap)
        rms_norm_fn(y, weight, None).sum().backward()
    """
    real, hollow = (answer(BEGIN + text, "--nproc", 1, *more) for more in ([], ["--hollow"]))
    assert hollow["timeline_sha256"] == real["timeline_sha256"]
    assert hollow["memory"] == real["memory"]


def test_norms_rotary_embeddings_and_losses_are_those_of_pytorch(script):
    text = """
    import torch.nn.functional as F
    from flash_attn.layers.rotary import apply_rotary_emb, apply_rotary_emb_torch
    from flash_attn.losses.cross_entropy import CrossEntropyLoss
    from flash_attn.ops.triton.layer_norm import layer_norm_fn

    def same(ours, theirs, *leaves):
        gradient = torch.randn_like(theirs)
        of_ours, of_theirs = (torch.autograd.grad(each, leaves, gradient) for each in (ours, theirs))
        for one, other in zip((ours, *of_ours), (theirs, *of_theirs)):
            assert torch.allclose(one, other, rtol=1e-4, atol=1e-5), (one - other).abs().max()

    x, weight, bias, residual = (torch.randn(*shape, device="cuda").requires_grad_() for shape in ((6, 8), (8,), (8,), (6, 8)))
    same(layer_norm_fn(x, weight, bias, residual, eps=1e-5), F.layer_norm(x + residual, (8,), weight, bias), x, weight, bias, residual)
    same(layer_norm_fn(x, weight, None, eps=1e-6, is_rms_norm=True), F.rms_norm(x, (8,), weight, 1e-6), x, weight)
    turned = torch.randn(2, 6, 3, 8, device="cuda").requires_grad_()
    angles = torch.randn(6, 3, device="cuda")
    for interleaved in (False, True):
        how = (turned, angles.cos(), angles.sin(), interleaved)
        same(apply_rotary_emb(*how), apply_rotary_emb_torch(*how), turned)
    logits = torch.randn(6, 8, device="cuda").requires_grad_()
    labels = torch.tensor([1, 2, -100, 7, 0, 3], device="cuda")
    same(CrossEntropyLoss(label_smoothing=0.1)(logits, labels), F.cross_entropy(logits, labels, label_smoothing=0.1), logits)
    """
    done = script(BEGIN + text, "--nproc", 1)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("flash_attn_func(*(torch.ones(1, 4, 2, 16, device='cuda') for _ in range(3)))", "only support fp16 and bf16"),
        (
            "flash_attn_varlen_func(*3 * [drawn(4, 2)[0].cuda()], *2 * [torch.zeros(1)], 4, 4, block_table=torch.ones(1))",
            "train.py:33: flash_attn_varlen_func with block_table cannot run here",
        ),
    ],
)
def test_what_it_cannot_do_is_refused(script, call, why):
    done = script(BEGIN + "\n    " + call, "--nproc", 1)
    assert done.returncode != 0
    assert why in done.stderr
