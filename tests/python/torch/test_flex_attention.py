"""flex_attention is one kernel where it is compiled, with the numbers of PyTorch's own operators."""


def of_script(lines):
    """Without what PyTorch says of a machine that has no Triton."""
    return [line for line in lines if line.startswith(("equal ", "met "))]


ATTENTION = """
    import torch
    from torch.nn.attention.flex_attention import and_masks, create_block_mask, flex_attention

    torch.manual_seed(0)
    shape = (2, 4, 128, 16)
    query, key, value = (torch.randn(shape).cuda().requires_grad_() for _ in range(3))
    document = (torch.arange(128) // 50).cuda()
    mask = create_block_mask(
        and_masks(lambda b, h, q, kv: q >= kv, lambda b, h, q, kv: document[q] == document[kv]), 2, None, 128, 128, device="cuda"
    )


    def attend(function, score_mod=None):
        result = function(query, key, value, score_mod=score_mod, block_mask=mask)
        return result, *torch.autograd.grad(result.square().sum(), (query, key, value))
"""


def test_it_has_the_numbers_of_the_operators(printed):
    text = ATTENTION + """
    slopes = torch.linspace(0, 1, 4).cuda()
    for mod in (None, lambda score, b, h, q, kv: score + slopes[h] * (kv - q)):
        fused, apart = attend(torch.compile(flex_attention), mod), attend(flex_attention, mod)
        print("equal", all(map(torch.equal, fused, apart)))
    """
    assert of_script(printed(text, "--nproc", 1)) == ["equal True", "equal True"]


def test_it_is_one_kernel(answer):
    text = ATTENTION + """
    attend(torch.compile(flex_attention))
    """
    operators = {row["operator"]: row for row in answer(text, "--nproc", 1, "--explain-cost")["operators"]}
    assert operators["flex_attention"]["count"] == operators["flex_attention_backward"]["count"] == 1
    assert "bmm" not in operators
    assert not any(row["guessed"] for row in operators.values())


def test_it_is_captured(printed):
    text = ATTENTION + """
    compiled = torch.compile(flex_attention)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad():
        with torch.cuda.graph(graph):
            captured = compiled(query, key, value, block_mask=mask)
        query.mul_(2)
        graph.replay()
        print("equal", torch.equal(captured, compiled(query, key, value, block_mask=mask)))
    """
    assert of_script(printed(text, "--nproc", 1)) == ["equal True"]


def test_a_hollow_run_takes_as_long(answer):
    text = ATTENTION.replace("(2, 4, 128, 16)", "(2, 16, 128, 64)") + """
    attend(torch.compile(flex_attention))
    """
    real, hollow = (answer(text, "--nproc", 1, *options) for options in ((), ("--hollow",)))
    assert hollow["timeline_sha256"] == real["timeline_sha256"]
    assert hollow["memory"] == real["memory"]


def test_a_mask_counts_by_its_shape(printed):
    text = """
        import torch
        from ndsim.torchrun.stand_ins.masks import keys_met
        from torch.nn.attention.flex_attention import and_masks, noop_mask

        causal = lambda b, h, q, kv: q >= kv
        window = lambda b, h, q, kv: q - kv < 64
        documents = torch.zeros(1024).cuda()
        same = lambda b, h, q, kv: documents[q] == documents[kv]
        print("met", *(keys_met(mask, 1024, 1024) for mask in (noop_mask, causal, and_masks(causal, window))))
        print("met", keys_met(same, 1024, 1024), keys_met(and_masks(causal, same), 1024, 1024))
    """
    # Of 1,024 keys a query sees half, and itself; 64 of a window, but for the first queries, 62.03 on average.
    assert of_script(printed(text, "--nproc", 1)) == ["met 1024 513", "met 1024 513 62"]
