"""GPU memory is split by use, to the byte: the caching allocator allocates multiples of 512."""

import json

import pytest

WEIGHT, BIAS = 17 * 512, 512
"""7 x 300 and 7 numbers of 4 bytes: 8400 and 28 bytes."""

ADAM = """
    import torch
    model = torch.nn.Sequential(torch.nn.Linear(300, 7), torch.nn.BatchNorm1d(7, affine=False)).cuda()
    x = torch.ones(10, 300, device="cuda")
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(STEPS):
        optimizer.zero_grad()
        model(x).square().sum().backward()
        optimizer.step()
"""


def kinds_of(run, rank=0):
    return run["per_rank"][rank]["memory"]


@pytest.mark.parametrize("steps", [1, 2, 4])
def test_parameters_gradients_states_and_buffers_are_told_apart(answer, steps):
    run = answer(ADAM.replace("STEPS", str(steps)), "--nproc", 1)
    kinds = kinds_of(run)
    assert (kinds["parameters"], kinds["gradients"]) == (WEIGHT + BIAS, WEIGHT + BIAS)
    assert kinds["optimizer"] == 2 * (WEIGHT + BIAS)
    # The mean, the variance, and the number of batches; also the input: 12,000 bytes.
    assert (kinds["buffers"], kinds["other"]) == (3 * 512, 12288)


def test_all_kinds_add_up_to_what_tensors_held(answer):
    run = answer(ADAM.replace("STEPS", "3"), "--nproc", 1)
    assert sum(kinds_of(run).values()) == run["per_rank"][0]["allocated_bytes"]
    assert kinds_of(run)["activations"] > 0
    assert kinds_of(run).items() <= run["memory"].items()
    assert sum(kinds_of(run).values()) + run["memory"]["cached"] == run["memory"]["reserved"]


def test_small_tensors_take_as_much_as_the_allocator_gives_them(answer):
    run = answer(
        """
        import torch
        model = torch.nn.Linear(3, 1).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        for _ in range(2):
            model(torch.ones(1, 3, device="cuda")).sum().backward()
            optimizer.step()
        """,
        "--nproc",
        1,
    )
    # Weights and a bias, and one state for each.
    assert [run["memory"][name] for name in ("parameters", "gradients", "optimizer")] == [1024, 1024, 1024]


def test_what_is_hollow_needs_the_same_memory(answer):
    text = ADAM.replace("STEPS", "3").replace("300", "3000")
    real, hollow = (answer(text, "--nproc", 1, *more) for more in ((), ("--hollow",)))
    assert kinds_of(real) == kinds_of(hollow)


def test_without_a_step_there_are_no_kinds(answer):
    run = answer("import torch; torch.ones(4, device='cuda')", "--nproc", 1)
    assert set(kinds_of(run).values()) == {None}
    assert kinds_of(run).items() <= run["memory"].items()


def test_parts_of_one_buffer_count_once_and_gradients_beside_parameters_are_gradients(answer):
    run = answer(
        """
        import torch
        flat = torch.zeros(2048, device="cuda")
        parameters = [torch.nn.Parameter(part) for part in flat.split(1024)]
        kept = torch.zeros(2048, dtype=torch.float32, device="cuda")
        for parameter, part in zip(parameters, kept.split(1024)):
            parameter.main_grad = part
        masters = [parameter.detach().clone().float() for parameter in parameters]
        optimizer = torch.optim.SGD(masters, lr=0.1)
        for _ in range(2):
            optimizer.step()
        """,
        "--nproc",
        1,
    )
    kinds = kinds_of(run)
    assert [kinds[name] for name in ("parameters", "gradients", "optimizer")] == [8192, 8192, 8192]
    # No time passes in these steps.
    assert (run["step_seconds"], run["mfu"], run["step_breakdown"]) == (0, None, None)


@pytest.mark.parametrize(("options", "world"), [(("--nproc", 2), 2), (("--nproc", 4, "--fold", 1), 4)], ids=["whole", "folded"])
def test_a_sharded_model_has_its_shard_of_everything(answer, options, world):
    run = answer(
        """
        import os, torch
        import torch.distributed as dist
        from torch.distributed.fsdp import fully_shard
        dist.init_process_group("nccl")
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        model = torch.nn.Linear(256, 1024).cuda()
        fully_shard(model)
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(8, 256, device="cuda")).sum().backward()
            optimizer.step()
        """,
        *options,
    )
    shard = (256 * 1024 + 1024) * 4 // world
    for rank in range(run["ranks_run"]):
        kinds = kinds_of(run, rank)
        assert [kinds[name] for name in ("parameters", "gradients", "optimizer")] == [shard, shard, 2 * shard]


def test_the_fullest_rank_is_named_with_its_memory(script):
    text = """
        import os, torch
        rank = int(os.environ["RANK"])
        torch.cuda.set_device(rank)
        w = torch.nn.Parameter(torch.ones(1 << (20 + rank), device="cuda"))
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(2):
            (w * 1).sum().backward()
            optimizer.step()
    """
    run = json.loads(script(text, "--nproc", 2, "--json").stdout)
    assert (run["memory"]["fullest_rank"], run["memory"]["parameters"]) == (1, 8 << 20)
    lines = script(text, "--nproc", 2).stdout.splitlines()
    assert any(line.startswith("Memory of rank 1, the fullest, at its peak") for line in lines)
    assert any(line.startswith("  P  parameters") and "8.389 MB" in line for line in lines)
