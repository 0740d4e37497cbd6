"""FlashAttention 3 on simulated GPUs, as imported by scripts and as called by PyTorch: attention's numbers, at version 3's price."""

import pytest

BEGIN = """
    import torch
    import torch.nn.functional as F
    from flash_attn_interface import flash_attn_func, flash_attn_qkvpacked_func, flash_attn_varlen_func

    def drawn(heads, tokens=32):
        return torch.randn(2, tokens, heads, 16, device="cuda", dtype=torch.bfloat16).requires_grad_()

    def defined(query, key, value, **how):
        query, key, value = (each.transpose(1, 2) for each in (query, key, value))
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            return F.scaled_dot_product_attention(query, key, value, enable_gqa=True, **how).transpose(1, 2)

    def compare(ours, theirs, *leaves):
        gradient = torch.randn_like(theirs)
        found, expected = ((made, *torch.autograd.grad(made, leaves, gradient)) for made in (ours, theirs))
        for one, other in zip(found, expected):
            assert torch.allclose(one.float(), other.float(), rtol=0.02, atol=0.03), (one - other).abs().max()
"""


def test_attention_is_that_of_its_definition_dense_and_packed(script):
    text = """
    q, k, v = drawn(4), drawn(2), drawn(2)
    made, sums = flash_attn_func(q, k, v, causal=True, return_attn_probs=True)
    compare(made, defined(q, k, v, is_causal=True), q, k, v)
    assert sums.shape == (2, 4, 32) and sums.dtype == torch.float32
    assert isinstance(flash_attn_func(q, k, v, window_size=(3, 0)), torch.Tensor)
    three = torch.stack([drawn(4).detach() for _ in range(3)], 2).requires_grad_()
    compare(flash_attn_qkvpacked_func(three), defined(*three.unbind(2)), three)
    starts = torch.tensor([0, 12, 64], dtype=torch.int32, device="cuda")
    rows = [each.detach().flatten(0, 1).requires_grad_() for each in (q, k, v)]
    alone = [defined(*(each[None, begin:end] for each in rows), is_causal=True)[0] for begin, end in ((0, 12), (12, 64))]
    compare(flash_attn_varlen_func(*rows, starts, starts, 52, 52, causal=True), torch.cat(alone), *rows)
    """
    done = script(BEGIN + text, "--nproc", 1)
    assert done.returncode == 0, done.stderr


def test_pytorch_takes_it_where_a_script_lets_it(answer):
    text = """
    q, k, v = drawn(4), drawn(4), drawn(4)
    torch.nn.attention.activate_flash_attention_impl("FA3")
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
        made = F.scaled_dot_product_attention(*(each.transpose(1, 2) for each in (q, k, v)), is_causal=True).transpose(1, 2)
    compare(made, defined(q, k, v, is_causal=True), q, k, v)
    """
    found = answer(BEGIN + text, "--nproc", 1, "--explain-cost")
    names = {row["operator"]: row["count"] for row in found["operators"] if "flash" in row["operator"]}
    assert names == {"_flash_attention_forward_into": 1, "_flash_attention_backward": 1}
    assert found["stand_ins"] == ["flash_attn_3", "flash_attn_interface"]


def test_it_costs_what_version_3_does_and_hollow_what_it_costs_computed(answer):
    text = """
    import flash_attn
    how = {"dtype": torch.bfloat16, "device": "cuda", "requires_grad": True}
    attend = {3: flash_attn_func, 2: flash_attn.flash_attn_func}[VERSION]
    attend(*(torch.ones(1, 512, 2, 64, **how) for _ in range(3)), causal=True).sum().backward()
    """

    def run(version, *options):
        found = answer(BEGIN + text.replace("VERSION", str(version)), "--nproc", 1, "--explain-cost", *options)
        return found, [row["seconds"] for row in found["operators"] if "flash" in row["operator"]]

    (real, third), (hollow, _) = run(3), run(3, "--hollow")
    assert (hollow["timeline_sha256"], hollow["memory"]) == (real["timeline_sha256"], real["memory"])
    assert third == run(2, "--flash-attention", 3)[1] and sum(third) < sum(run(2)[1])


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("flash_attn_func(drawn(2), drawn(2), drawn(2), q_descale=torch.ones(1))", "FlashAttention 3 with q_descale"),
        ("__import__('flash_attn_interface').flash_attn_with_kvcache(drawn(2))", "flash_attn_with_kvcache of FlashAttention 3"),
    ],
)
def test_what_it_cannot_do_is_refused_with_the_line(script, call, what):
    done = script(BEGIN + f"\n    {call}\n", "--nproc", 1)
    assert done.returncode == 2 and f"train.py:19: {what} cannot run here" in done.stderr
