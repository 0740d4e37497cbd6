"""scaled_dot_product_attention is one kernel of the simulated GPU, with the numbers of its definition."""

import pytest

BEGIN = """
    import math
    import torch
    import torch.nn.functional as F

    torch.cuda.set_device(0)
    attention = getattr(F, "scaled_dot_product_attention")
    query, key, value = (torch.randn(2, 4, 64, 16, device="cuda", requires_grad=True) for _ in range(3))

    def composite(query, key, value, causal):
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if causal:
            later = torch.ones(64, 64, dtype=torch.bool, device="cuda").triu(1)
            scores = scores.masked_fill(later, -math.inf)
        return scores.softmax(-1) @ value

    def with_gradients(function):
        output = function()
        return [output, *torch.autograd.grad(output.square().sum(), [query, key, value])]
"""


@pytest.mark.parametrize("causal", [False, True])
def test_attention_and_its_gradients_are_those_of_its_definition(script, causal):
    text = f"""
    ours = with_gradients(lambda: attention(query, key, value, is_causal={causal}))
    theirs = with_gradients(lambda: composite(query, key, value, {causal}))
    for one, other in zip(ours, theirs):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5), (one - other).abs().max()
    """
    done = script(BEGIN + text, "--nproc", 1)
    assert done.returncode == 0, done.stderr


def operators(answer, text):
    rows = answer(BEGIN + text, "--nproc", 1, "--explain-cost")["operators"]
    return {row["operator"]: row["count"] for row in rows}


def test_it_is_one_kernel_forward_and_one_backward(answer):
    bill = operators(answer, "    attention(query, key, value, is_causal=True).sum().backward()")
    attention = {name: count for name, count in bill.items() if "attention" in name}
    assert sum(attention.values()) == 2
    assert not {"bmm", "_softmax", "masked_fill", "aten::bmm", "aten::_softmax"} & bill.keys()


@pytest.mark.parametrize(
    "more", ["attn_mask=torch.zeros(64, 64, device='cuda')", "dropout_p=0.1"], ids=["mask", "dropout"]
)
def test_with_a_mask_or_dropout_it_is_one_kernel_too(answer, more):
    bill = operators(answer, f"    attention(query, key, value, {more})")
    assert [count for name, count in bill.items() if "attention" in name] == [1]
    assert "bmm" not in bill


def test_it_is_the_operators_of_pytorch_where_the_script_asks_for_them(answer):
    text = """
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        attention(query, key, value)
    """
    bill = operators(answer, text)
    assert bill["bmm"] == 2
    assert not any("attention" in name for name in bill)


def test_it_holds_no_scores(printed):
    text = """
    result, scores = 4 * 2 * 4 * 64 * 16, 4 * 2 * 4 * 64 * 64
    before = torch.cuda.memory_allocated()
    output = attention(query, key, value)
    held, most = torch.cuda.memory_allocated() - before, torch.cuda.max_memory_allocated() - before
    # Besides the result, one number per row of scores.
    print(result < held == most < result + scores / 8)
    """
    assert printed(BEGIN + text, "--nproc", 1) == ["True"]


def test_hollow_attention_has_the_time_of_the_real_one(answer):
    text = """
    for _ in range(3):
        attention(query, key, value, is_causal=True).sum().backward()
    """
    assert answer(BEGIN + text, "--nproc", 1, "--hollow")["timeline_sha256"] == answer(BEGIN + text, "--nproc", 1)["timeline_sha256"]
