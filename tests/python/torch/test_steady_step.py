"""The steady step of a run: FLOPs, with and without what is computed once more, its parts, and memory by kind."""

import pytest

WIDTH, ROWS, LAYERS, STEPS = 256, 512, 4, 3
FORWARD = 2 * ROWS * WIDTH * WIDTH
"""FLOPs of a layer."""

MODEL = f"""
import torch, torch.distributed as dist
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
model = torch.nn.Sequential(*(torch.nn.Linear({WIDTH}, {WIDTH}, bias=False) for _ in range({LAYERS}))).cuda()
optimizer = torch.optim.Adam(model.parameters())

def train(forward):
    for _ in range({STEPS}):
        x = torch.ones({ROWS}, {WIDTH}, device="cuda", requires_grad=True)
        forward(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
"""


def test_flops_are_those_of_three_products_a_layer(answer):
    run = answer(MODEL + "train(model)", "--nproc", 1)
    assert run["flops_per_step"] == run["model_flops_per_step"] == 3 * LAYERS * FORWARD
    assert run["peak_flops_per_second_per_gpu"] == pytest.approx(66.9e12)  # of H100, in fp32
    assert run["mfu"] == run["hfu"] == pytest.approx(3 * LAYERS * FORWARD / 66.9e12 / run["step_seconds"])


AGAIN = {
    "which keeps its inputs": ("lambda x: checkpoint(model, x, use_reentrant=True)", LAYERS),
    "which stops early": ("lambda x: checkpoint(model, x, use_reentrant=False)", LAYERS - 1),
    "of a part": ("lambda x: model[1:](checkpoint(model[0], x, use_reentrant=True))", 1),
}


@pytest.mark.parametrize("how", AGAIN)
def test_what_a_checkpoint_computes_once_more_is_none_of_the_models(answer, how):
    forward, again = AGAIN[how]
    run = answer(MODEL + f"train({forward})", "--nproc", 1)
    assert run["model_flops_per_step"] == 3 * LAYERS * FORWARD
    assert run["flops_per_step"] == (3 * LAYERS + again) * FORWARD
    assert run["hfu"] / run["mfu"] == pytest.approx((3 * LAYERS + again) / (3 * LAYERS))


def test_a_function_of_ones_own_may_be_computed_once_more(answer):
    # Its forward pass records no gradients, within a checkpoint or not.
    text = MODEL + """
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        return gradient @ weight.T, x.T @ gradient

train(lambda x: checkpoint(lambda x: Product.apply(x, model[0].weight), x, use_reentrant=True))
"""
    run = answer(text, "--nproc", 1)
    assert (run["model_flops_per_step"], run["flops_per_step"]) == (3 * FORWARD, 4 * FORWARD)


def test_a_graph_counts_as_often_as_it_is_launched(answer):
    text = MODEL + f"""
x = torch.ones({ROWS}, {WIDTH}, device="cuda")
train(lambda x: model(x.detach()))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    model(x)
for _ in range(3):
    graph.replay()
    graph.replay()
    optimizer.step()
"""
    run = answer(text, "--nproc", 1)
    # The mean of five intervals of six steps, without the first: two with training, one with nothing, two with replays.
    trained = (3 * LAYERS - 1) * FORWARD
    replayed = 2 * LAYERS * FORWARD
    assert run["flops_per_step"] == pytest.approx((1 * trained + 3 * replayed) / 4)


def test_the_parts_of_a_step_are_the_step(answer):
    text = f"""
import torch.distributed as dist
dist.init_process_group("nccl")
import torch
torch.cuda.set_device(dist.get_rank())
{MODEL}
model = torch.nn.parallel.DistributedDataParallel(model)
train(model)
"""
    run = answer(text, "--nproc", 2)
    parts = run["step_breakdown"]
    assert sum(parts.values()) == pytest.approx(run["step_seconds"], abs=1e-15)
    assert run["flops_per_step"] == 2 * 3 * LAYERS * FORWARD
    assert parts["attention"] == 0
    assert min(parts[part] for part in ("products", "passes", "optimizer", "communication")) > 0
    hollow = answer(text, "--nproc", 2, "--hollow")
    for key in ("step_breakdown", "flops_per_step", "mfu", "memory"):
        assert hollow[key] == run[key]
    folded = answer(text, "--nproc", 2, "--fold", 1)
    assert folded["flops_per_step"] == run["flops_per_step"]


def test_the_memory_of_a_model_by_its_kinds(answer):
    run = answer(MODEL + "train(model)", "--nproc", 1)
    memory, weights = run["memory"], 4 * LAYERS * WIDTH * WIDTH
    # Adam has two states of each parameter; its counters lie on the host.
    assert (memory["parameters"], memory["gradients"], memory["optimizer"]) == (weights, weights, 2 * weights)
    assert memory["other"] + memory["activations"] == memory["allocated"] - 4 * weights > 0


def test_small_tensors_take_as_much_as_the_allocator_gives_them(answer):
    text = """
import torch
model = torch.nn.Linear(3, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for _ in range(2):
    model(torch.ones(1, 3, device="cuda")).sum().backward()
    optimizer.step()
"""
    memory = answer(text, "--nproc", 1)["memory"]
    assert (memory["parameters"], memory["gradients"], memory["optimizer"]) == (1024, 1024, 1024)


def test_sharded_parameters_are_a_ranks_own_share(answer):
    text = f"""
import torch, torch.distributed as dist
from torch.distributed.fsdp import fully_shard
dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank())
{MODEL}
fully_shard(model)
optimizer = torch.optim.Adam(model.parameters())
train(model)
"""
    memory, weights = answer(text, "--nproc", 4, "--fold", 1)["memory"], LAYERS * WIDTH * WIDTH
    assert (memory["parameters"], memory["gradients"], memory["optimizer"]) == (weights, weights, 2 * weights)


def test_a_run_without_two_steps_has_none_of_it(answer):
    run = answer("import torch; torch.ones(1, device='cuda')", "--nproc", 1)
    assert {run[key] for key in ("mfu", "hfu", "flops_per_step", "model_flops_per_step", "step_breakdown")} == {None}
    assert run["memory"]["parameters"] is None
