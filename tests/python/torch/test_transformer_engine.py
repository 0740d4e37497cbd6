"""The stand-ins of TransformerEngine's and Apex's layers compute the same as PyTorch's own layers."""

import pytest

BEGIN = """
    import torch
    import torch.nn.functional as F
    import transformer_engine.pytorch as te

    torch.cuda.set_device(0)
    torch.manual_seed(0)

    def check(ours, theirs):
        for one, other in zip(ours, theirs):
            assert torch.allclose(one, other, rtol=1e-5, atol=1e-6), (one - other).abs().max()
"""

LAYERS = {
    "a norm and a linear layer": """
        layer = te.LayerNormLinear(16, 32)
        x = torch.randn(6, 2, 16, device="cuda", requires_grad=True)
        parameters = [x, *layer.parameters()]
        made = layer(x)
        plain = F.linear(F.layer_norm(x, (16,), layer.layer_norm_weight, layer.layer_norm_bias), layer.weight, layer.bias)
    """,
    "an RMS norm": """
        layer = te.RMSNorm(16, zero_centered_gamma=True)
        x = torch.randn(6, 16, device="cuda", requires_grad=True)
        parameters = [x, layer.weight]
        made, plain = layer(x), F.rms_norm(x, (16,), layer.weight + 1, 1e-5)
    """,
    "experts' layers": """
        layer = te.GroupedLinear(3, 16, 8)
        x = torch.randn(10, 16, device="cuda", requires_grad=True)
        parameters = [x, *layer.parameters()]
        rows = [4, 1, 5]
        made = layer(x, rows)
        experts = [(getattr(layer, f"weight{i}"), getattr(layer, f"bias{i}")) for i in range(3)]
        plain = torch.cat([F.linear(part, *expert) for part, expert in zip(x.split(rows), experts)])
    """,
    "attention": """
        attend = te.DotProductAttention(4, 8, attention_dropout=0.0)
        q, k, v = parameters = [torch.randn(6, 2, 4, 8, device="cuda", requires_grad=True) for _ in range(3)]
        made = attend(q, k, v)
        plain = F.scaled_dot_product_attention(*(each.permute(1, 2, 0, 3) for each in parameters), is_causal=True)
        plain = plain.permute(2, 0, 1, 3).reshape(6, 2, 32)
    """,
}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_and_its_gradients_are_those_of_pytorch(script, layer):
    compare = """
        g = torch.randn_like(made)
        check([made, *torch.autograd.grad(made, parameters, g)], [plain, *torch.autograd.grad(plain, parameters, g)])
    """
    done = script(BEGIN + (LAYERS[layer] + compare).replace("\n        ", "\n    "), "--nproc", 1)
    assert done.returncode == 0, done.stderr


def test_a_weights_gradient_is_added_to_the_one_that_is_there(script):
    text = """
    from fused_weight_gradient_mlp_cuda import wgrad_gemm_accum_fp32

    rows, grad = torch.randn(8, 16, device="cuda").bfloat16(), torch.randn(8, 4, device="cuda").bfloat16()
    sums = torch.ones(4, 16, device="cuda")
    wgrad_gemm_accum_fp32(rows, grad, sums)
    check([sums], [1 + grad.float().t() @ rows.float()])
    """
    done = script(BEGIN + text, "--nproc", 1)
    assert done.returncode == 0, done.stderr


def test_no_kernel_of_theirs_is_joined_with_its_neighbours_by_a_compiler(answer):
    text = """
    layer = te.RMSNorm(1024)
    x = torch.randn(64, 1024, device="cuda")
    y = layer(x * 2).relu()
    """
    names = {row["operator"] for row in answer(BEGIN + text, "--nproc", 1, "--explain-cost", "--compiled")["operators"]}
    assert "rmsnorm_fwd" in names, names


def test_what_a_layer_cannot_do_is_refused_with_the_scripts_line(script):
    done = script(BEGIN + "\n    te.Linear(16, 16, ub_overlap_ag=True)\n", "--nproc", 1)
    assert done.returncode == 2
    assert "transformer_engine's option ub_overlap_ag cannot run here" in done.stderr


def test_a_fresh_process_finds_stand_ins_on_its_path(script):
    text = """
    import multiprocessing.spawn
    from ndsim.torchrun.stand_ins.registry import PACKAGES

    assert str(PACKAGES) in multiprocessing.spawn.get_preparation_data("one")["sys_path"]
    """
    done = script(BEGIN + text, "--nproc", 1)
    assert done.returncode == 0, done.stderr


# Rank r of 2 has quarters r and 3 - r of the tokens.
RING = """
    import torch.distributed as dist

    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(rank)
    every = [torch.randn(8, 2, 4, 8, device="cuda") for _ in range(4)]
    mine = [torch.cat((each.chunk(4)[rank], each.chunk(4)[3 - rank])) for each in every]
    *parameters, g = mine
    for each in parameters:
        each.requires_grad_()

    def attend(way, dropout):
        layer = te.DotProductAttention(4, 8, attention_dropout=dropout)
        layer.set_context_parallel_group(dist.group.WORLD, [0, 1], torch.cuda.Stream(), way)
        made = layer(*parameters)
        return made, torch.autograd.grad(made, parameters, g.reshape(made.shape))
"""


@pytest.mark.parametrize("way", ["p2p", "all_gather", "a2a"])
def test_attention_of_tokens_that_two_ranks_share_is_that_of_all_tokens(script, way):
    compare = f"""
    made, gradients = attend("{way}", 0.0)
    whole = [each.clone().requires_grad_() for each in every[:3]]
    plain = F.scaled_dot_product_attention(*(each.permute(1, 2, 0, 3) for each in whole), is_causal=True).permute(2, 0, 1, 3)
    plain_gradients = torch.autograd.grad(plain, whole, every[3])
    share = lambda each: torch.cat((each.chunk(4)[rank], each.chunk(4)[3 - rank]))
    check([made, *gradients], [share(plain).reshape(made.shape), *map(share, plain_gradients)])
    """
    done = script(BEGIN + RING + compare, "--nproc", 2)
    assert done.returncode == 0, done.stderr


def test_dropout_of_attention_in_a_ring_is_drawn_again_in_its_backward_pass(script):
    # Attention's result is linear in its values, as long as dropout drops the same elements.
    compare = """
    made, (_, _, of_values) = attend("p2p", 0.5)
    both = torch.stack(((made * g.reshape(made.shape)).sum(), (of_values * parameters[2]).sum()))
    kept, _ = attend("p2p", 0.0)
    assert not torch.allclose(made, kept)
    dist.all_reduce(both)
    check([both[0]], [both[1]])
    """
    done = script(BEGIN + RING + compare, "--nproc", 2)
    assert done.returncode == 0, done.stderr
