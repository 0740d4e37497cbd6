"""The FLOPs of a step are those of its matmuls and attention, with recomputation counted separately."""

import pytest

M, K, H, N = 64, 128, 256, 32
FORWARD = 2 * M * (K * H + H * N)
# The inputs of the first layer have no gradient.
BACKWARD = 2 * M * (K * H + 2 * H * N)

TRAIN = f"""
    import os, torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.checkpoint import checkpoint

    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    layers = torch.nn.Sequential(torch.nn.Linear({K}, {H}), torch.nn.ReLU(), torch.nn.Linear({H}, {N})).cuda()
    model = layers
    x = torch.ones({M}, {K}, device="cuda", requires_grad=REENTRANT)
    if PARALLEL:
        dist.init_process_group("nccl")
        model = DistributedDataParallel(layers)
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
    for step in range(STEPS):
        y = checkpoint(model, x, use_reentrant=REENTRANT) if CHECKPOINT else model(x)
        optimizer.zero_grad()
        y.sum().backward(retain_graph=RETAIN)
        optimizer.step()
"""


def train(*, steps=4, checkpoint=False, reentrant=False, parallel=False, retain=False):
    values = {"STEPS": steps, "CHECKPOINT": checkpoint, "REENTRANT": reentrant, "PARALLEL": parallel, "RETAIN": retain}
    text = TRAIN
    for name, value in values.items():
        text = text.replace(name, str(value))
    return text


@pytest.mark.parametrize("steps", [2, 3, 5])
def test_a_step_has_the_flops_of_its_products_forward_and_backward(answer, steps):
    run = answer(train(steps=steps), "--nproc", 1)
    assert run["flops_per_step"] == FORWARD + BACKWARD
    assert run["flops_per_step"] - run["model_flops_per_step"] == 0
    assert run["peak_flops_per_second_per_gpu"] == pytest.approx(66.9e12)  # of H100, in fp32
    assert run["mfu"] == run["hfu"] == pytest.approx((FORWARD + BACKWARD) / run["step_seconds"] / run["peak_flops_per_second_per_gpu"])
    assert run["model_flops_per_second_per_gpu"] == pytest.approx((FORWARD + BACKWARD) / run["step_seconds"])


NONE_OF_IT = ("flops_per_step", "model_flops_per_step", "model_flops_per_second_per_gpu", "mfu", "hfu", "step_communication", "step_breakdown")


@pytest.mark.parametrize("text", [train(steps=1), "import torch; torch.ones(1, device='cuda')"], ids=["one step", "no optimizer"])
def test_without_two_steps_there_is_no_utilisation(answer, text):
    run = answer(text, "--nproc", 1)
    assert [run[name] for name in NONE_OF_IT] == [None] * len(NONE_OF_IT)


@pytest.mark.parametrize("retain", [False, True])
def test_checkpointing_computes_the_forward_pass_once_more(answer, retain):
    run = answer(train(checkpoint=True, retain=retain), "--nproc", 1)
    # All but the last layer, whose result is not needed.
    again = 2 * M * K * H
    assert run["flops_per_step"] - run["model_flops_per_step"] == again
    assert run["flops_per_step"] == FORWARD + BACKWARD + again
    assert run["mfu"] / run["hfu"] == pytest.approx((FORWARD + BACKWARD) / (FORWARD + BACKWARD + again))


def test_so_does_checkpointing_with_reentrance(answer):
    # Here its input has a gradient.
    run = answer(train(checkpoint=True, reentrant=True), "--nproc", 1)
    assert run["flops_per_step"] - run["model_flops_per_step"] == FORWARD
    assert run["flops_per_step"] == 4 * FORWARD
    assert run["hfu"] / run["mfu"] == pytest.approx(4 / 3)


def test_of_a_part_that_is_checkpointed_this_part_is_computed_once_more(answer):
    text = train(reentrant=True).replace("else model(x)", "else layers[1:](checkpoint(layers[0], x, use_reentrant=True))")
    run = answer(text, "--nproc", 1)
    again = 2 * M * K * H
    assert (run["model_flops_per_step"], run["flops_per_step"]) == (3 * FORWARD, 3 * FORWARD + again)
    assert run["hfu"] / run["mfu"] == pytest.approx((3 * FORWARD + again) / (3 * FORWARD))


def test_a_function_of_ones_own_may_be_computed_once_more(answer):
    # Its forward pass records no gradients, in a checkpoint or outside.
    run = answer(
        f"""
        import torch
        from torch.utils.checkpoint import checkpoint

        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, weight):
                ctx.save_for_backward(x, weight)
                return x @ weight

            @staticmethod
            def backward(ctx, gradient):
                x, weight = ctx.saved_tensors
                return gradient @ weight.T, x.T @ gradient

        w = torch.nn.Parameter(torch.ones({K}, {N}, device="cuda"))
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(3):
            x = torch.ones({M}, {K}, device="cuda", requires_grad=True)
            checkpoint(lambda x: Product.apply(x, w), x, use_reentrant=True).square().mean().backward()
            optimizer.step()
        """,
        "--nproc",
        1,
    )
    product = 2 * M * K * N
    assert (run["model_flops_per_step"], run["flops_per_step"]) == (3 * product, 4 * product)


def test_the_gradient_of_a_gradient_is_not_computed_once_more(answer):
    run = answer(
        """
        import torch
        w = torch.nn.Parameter(torch.ones(64, 64, device="cuda"))
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(3):
            x = torch.ones(32, 64, device="cuda", requires_grad=True)
            (slope,) = torch.autograd.grad((x @ w).square().sum(), x, create_graph=True)
            slope.square().sum().backward()
            optimizer.step()
        """,
        "--nproc",
        1,
    )
    assert run["flops_per_step"] - run["model_flops_per_step"] == 0
    assert run["flops_per_step"] > 2 * 2 * 32 * 64 * 64


def test_ranks_and_those_that_are_folded_away_count_each(answer):
    whole = answer(train(parallel=True), "--nproc", 2)
    folded = answer(train(parallel=True), "--nproc", 8, "--fold", 1)
    assert whole["flops_per_step"] == 2 * (FORWARD + BACKWARD)
    assert folded["flops_per_step"] == 8 * (FORWARD + BACKWARD)
    of_one = (FORWARD + BACKWARD) / folded["step_seconds"] / folded["peak_flops_per_second_per_gpu"]
    assert folded["mfu"] == pytest.approx(of_one)


def test_attention_keeps_no_scores_and_so_computes_them_once_more(answer):
    batch, heads, tokens, width = 2, 4, 128, 64
    run = answer(
        f"""
        import torch
        from torch.nn.functional import scaled_dot_product_attention
        q, k, v = (torch.nn.Parameter(torch.ones({batch}, {heads}, {tokens}, {width}, device="cuda", dtype=torch.bfloat16))
                   for _ in range(3))
        optimizer = torch.optim.SGD([q, k, v], lr=0.1)
        for _ in range(3):
            scaled_dot_product_attention(q, k, v).sum().backward()
            optimizer.step()
        """,
        "--nproc",
        1,
    )
    product = 2 * batch * heads * tokens * tokens * width
    assert run["flops_per_step"] == (2 + 5) * product
    assert run["flops_per_step"] - run["model_flops_per_step"] == product
    assert run["peak_flops_per_second_per_gpu"] == pytest.approx(989e12, rel=1e-2)


def test_each_launch_of_a_graph_counts_and_its_capture_does_not(answer):
    run = answer(
        f"""
        import torch
        w = torch.nn.Parameter(torch.ones({K}, {N}, device="cuda"))
        x = torch.ones({M}, {K}, device="cuda")
        optimizer = torch.optim.SGD([w], lr=0.1)

        def step():
            optimizer.zero_grad(set_to_none=False)
            (x @ w).sum().backward()
            optimizer.step()

        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        for _ in range(4):
            graph.replay()
        """,
        "--nproc",
        1,
    )
    assert run["steps"] == 5
    assert run["flops_per_step"] == 2 * 2 * M * K * N


def test_a_graph_counts_as_often_as_it_is_launched(answer):
    text = train() + f"""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        layers(x)
    for _ in range(3):
        graph.replay()
        graph.replay()
        optimizer.step()
"""
    run = answer(text, "--nproc", 1)
    # Seven steps have six intervals, of which the first is left out: two with training, three with two launches.
    assert run["steps"] == 7
    assert run["flops_per_step"] == pytest.approx((2 * (FORWARD + BACKWARD) + 3 * 2 * FORWARD) / 5)


def test_what_an_optimizer_multiplies_is_not_the_models(answer):
    run = answer(
        f"""
        import torch

        class Turning(torch.optim.Optimizer):
            def step(self, closure=None):
                for group in self.param_groups:
                    for each in group["params"]:
                        each.grad @ each.grad.t()

        w = torch.nn.Parameter(torch.ones({K}, {N}, device="cuda"))
        optimizer = Turning([w], {{}})
        for _ in range(3):
            (torch.ones({M}, {K}, device="cuda") @ w).sum().backward()
            optimizer.step()
        """,
        "--nproc",
        1,
    )
    of_model, of_optimizer = 2 * 2 * M * K * N, 2 * K * K * N
    assert run["flops_per_step"] == of_model + of_optimizer
    assert run["mfu"] / run["hfu"] == pytest.approx(of_model / (of_model + of_optimizer))


def test_a_hollow_run_has_the_flops_of_the_real_one(answer):
    real, hollow = (answer(train(checkpoint=True), "--nproc", 1, *more) for more in ((), ("--hollow",)))
    for name in ("flops_per_step", "model_flops_per_step", "mfu", "hfu", "step_breakdown"):
        assert real[name] == hollow[name]
