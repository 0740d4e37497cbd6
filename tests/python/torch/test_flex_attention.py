"""A compiled flex_attention is one kernel, with the numbers of PyTorch's own operators."""


def of_script(lines):
    """Drops PyTorch's messages about a machine without Triton."""
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
    # By backward(), not grad(): after grad() either thread of autograd may be the one that frees what the last node saved.
    text = ATTENTION.replace("(2, 4, 128, 16)", "(2, 16, 128, 64)") + """
    torch.compile(flex_attention)(query, key, value, block_mask=mask).square().sum().backward()
    """
    real, hollow = (answer(text, "--nproc", 1, *options) for options in ((), ("--hollow",)))
    assert hollow["timeline_sha256"] == real["timeline_sha256"]
    assert hollow["memory"] == real["memory"]


def test_a_mask_counts_the_blocks_that_the_kernel_computes(printed):
    text = """
        import torch
        from ndsim.torchrun.stand_ins.flex.masks import keys_met
        from torch.nn.attention.flex_attention import and_masks, create_block_mask, noop_mask

        def met(mask, batch=None):
            return keys_met(create_block_mask(mask, batch, None, 1024, 1024, device="cuda").as_tuple(), 1024, 1024)

        causal = lambda b, h, q, kv: q >= kv
        window = lambda b, h, q, kv: q - kv < 128
        documents = (torch.arange(1024) // 256).expand(2, -1).cuda()
        same = lambda b, h, q, kv: documents[b, q] == documents[b, kv]
        print("met", *(met(mask) for mask in (noop_mask, causal, and_masks(causal, window))))
        print("met", met(same, 2), met(and_masks(causal, same), 2))
    """
    # In blocks of 128, a query block meets 4.5 of 8 key blocks on average, and 2 in a window (1 for the first). A document has 2.
    expected = ["met 1024 576 240", "met 256 192"]
    assert of_script(printed(text, "--nproc", 1)) == expected
    assert of_script(printed(text, "--nproc", 1, "--hollow")) == expected


def test_a_mask_of_numbers_that_nobody_knows_counts_by_its_functions(answer):
    text = """
        import torch
        from torch.nn.attention.flex_attention import and_masks, create_block_mask, flex_attention

        def attend(mask):
            blocks = create_block_mask(mask, None, None, 4096, 4096, device="cuda")
            query = torch.randn(1, 16, 4096, 64, device="cuda")
            torch.compile(flex_attention)(query, query, query, block_mask=blocks)

        causal = lambda b, h, q, kv: q >= kv
        ends = torch.randn(4096, 4096, device="cuda") @ torch.randn(4096, 4096, device="cuda")
        documents = (ends[0] > 0).int()
        same = lambda b, h, q, kv: documents[q] == documents[kv]
    """
    def attention_of(mask):
        rows = answer(f"{text}\n        attend({mask})\n", "--nproc", 1, "--hollow", "--explain-cost")["operators"]
        return next(row for row in rows if row["operator"] == "flex_attention")["seconds"]

    assert attention_of("and_masks(causal, same)") < 0.6 * attention_of("same")


def test_a_large_mask_of_a_hollow_run_counts_the_same_blocks(printed):
    text = """
        import torch
        from ndsim.torchrun.stand_ins.flex import masks
        from torch.nn.attention.flex_attention import and_masks, create_block_mask, noop_mask

        documents = (torch.arange(8192) // 700).expand(2, -1).cuda()
        causal = lambda b, h, q, kv: q >= kv
        window = lambda b, h, q, kv: q - kv < 200
        same = lambda b, h, q, kv: documents[b, q] == documents[b, kv]
        for mask in (noop_mask, causal, window, same, and_masks(causal, same), and_masks(causal, window, same)):
            made = create_block_mask(mask, 2, None, 8192, 8192, device="cuda").as_tuple()
            print("met", masks.mean_of(masks.lists_of(made)) is None, masks.keys_met(made, 8192, 8192))
    """
    real, hollow = (of_script(printed(text, "--nproc", 1, *options)) for options in ((), ("--hollow",)))
    assert [line.replace("True", "False") for line in hollow] == real
    assert [line.split()[1] for line in hollow] == ["True"] * 6
    assert {"met False 8192", "met False 4160"} < set(real)  # all 64 blocks of 128, and 32.5


COMPILED = """
    import torch
    from torch.nn.attention.flex_attention import and_masks, create_block_mask, create_mask, noop_mask

    documents = (torch.arange(SIZE) // 300).expand(2, -1).cuda()
    causal = lambda b, h, q, kv: q >= kv
    same = lambda b, h, q, kv: documents[b, q] == documents[b, kv]
    fields = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices")
"""


def test_a_compiled_mask_has_the_blocks_of_one_that_is_not(printed):
    text = COMPILED.replace("SIZE", "1000") + """
    for mask in (noop_mask, causal, same, and_masks(causal, same)):
        for size in (128, (64, 128)):
            given = (mask, 2, None, 1000, 1000, "cuda", size)
            apart, fused = create_block_mask(*given), torch.compile(create_block_mask)(*given)
            print("equal", all(torch.equal(getattr(apart, field), getattr(fused, field)) for field in fields))
    print("equal", torch.equal(torch.compile(create_mask)(causal, 1, 1, 9, 9, "cuda"), create_mask(causal, 1, 1, 9, 9, "cuda")))
    """
    for hollow in ((), ("--hollow",)):
        assert of_script(printed(text, "--nproc", 1, *hollow)) == 9 * ["equal True"]


def test_a_compiled_mask_is_one_kernel_that_keeps_no_pair(answer):
    text = COMPILED.replace("SIZE", "16384") + """
    made = torch.compile(create_block_mask)(and_masks(causal, same), 1, None, 16384, 16384, "cuda")
    # From the block with the first key of its first query's document to its own block.
    expected = sum(block - 128 * block // 300 * 300 // 128 + 1 for block in range(128))
    assert int(made.kv_num_blocks.sum() + made.full_kv_num_blocks.sum()) == expected
    """
    said = answer(text, "--nproc", 1, "--hollow", "--explain-cost")
    rows = [row for row in said["operators"] if row["operator"] == "flex_mask_blocks"]
    assert [(row["count"], row["guessed"]) for row in rows] == [(1, False)]
    # 2^28 pairs at 8e11 per second.
    assert abs(rows[0]["seconds"] - (1 << 28) / 8e11) < 1e-5
    assert said["memory"]["allocated"] < 1 << 20
