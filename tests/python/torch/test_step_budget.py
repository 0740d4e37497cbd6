"""The time of a step is broken down by kind of kernel and by kind of collective, to the picosecond."""

import pytest

TRAIN = """
    import os, time, torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.Linear(2048, 512)).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(64, 512, device="cuda")
    for step in range(5):
        time.sleep(1.0 if step < 2 else 0.001)
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
"""


def picoseconds(seconds):
    """Picoseconds of the three steady steps together: a whole number."""
    return round(3 * seconds * 1e12)


def test_the_parts_of_each_ranks_step_add_up_to_it(answer):
    run = answer(TRAIN, "--nproc", 4)
    for row in run["per_rank"]:
        parts, kinds = row["step_breakdown"], row["step_communication"]
        assert sum(map(picoseconds, parts.values())) == picoseconds(row["step_seconds"])
        assert sum(picoseconds(each["seconds"]) for each in kinds) == picoseconds(parts["communication"])
    parts = run["step_breakdown"]
    assert sum(parts.values()) == pytest.approx(run["step_seconds"], rel=0, abs=1e-15)
    assert parts["attention"] == 0
    assert min(parts[part] for part in ("products", "passes", "optimizer", "communication")) > 0


def test_the_set_up_of_a_run_is_not_in_it(answer):
    run = answer(TRAIN, "--nproc", 2)
    assert 0.001 < run["step_seconds"] < 0.01
    assert 0.0009 < run["step_breakdown"]["idle"] < run["step_seconds"]


def test_collectives_are_told_by_kind_members_and_nodes(answer):
    def kinds(*options):
        communication = answer(TRAIN, *options)["step_communication"]
        return {(each["kind"], each["members"], each["crosses_nodes"]) for each in communication}

    assert kinds("--nproc", 2) == {("all-reduce", 2, False)}
    assert kinds("--nproc", 64, "--fold", 1) == {("all-reduce", 64, True)}


def test_kernels_are_told_by_what_they_are_for(answer):
    run = answer(
        """
        import torch
        from torch.nn.functional import scaled_dot_product_attention, layer_norm
        w = torch.nn.Parameter(torch.ones(512, 512, device="cuda", dtype=torch.bfloat16))
        optimizer = torch.optim.Adam([w])
        x = torch.ones(2, 4, 128, 512, device="cuda", dtype=torch.bfloat16)
        for _ in range(3):
            optimizer.zero_grad()
            y = x @ w
            y = scaled_dot_product_attention(y, y, y)
            layer_norm(y, (512,)).sum().backward()
            y.detach().cpu()
            optimizer.step()
        """,
        "--nproc",
        1,
        "--explain-cost",
    )
    compute = run["step_breakdown"]
    of_operators = {}
    for row in run["operators"]:
        of_operators[row["operator"]] = of_operators.get(row["operator"], 0) + row["seconds"] / 3
    attention = sum(seconds for name, seconds in of_operators.items() if "attention" in name)
    assert compute["attention"] == pytest.approx(attention, rel=1e-9)
    assert compute["products"] == pytest.approx(of_operators["mm"], rel=1e-9)
    # 1 MB over a link of about 64 GB/s.
    assert compute["copies"] > 1e-6
    assert compute["optimizer"] > 0
    assert compute["passes"] >= of_operators["native_layer_norm"] * 0.999


def test_a_hollow_run_has_the_same(answer):
    real, hollow = (answer(TRAIN, "--nproc", 2, *more) for more in ((), ("--hollow",)))
    for key in ("step_breakdown", "step_communication", "memory"):
        assert [row[key] for row in real["per_rank"]] == [row[key] for row in hollow["per_rank"]]
    for key in ("step_breakdown", "step_communication", "flops_per_step", "mfu", "memory"):
        assert real[key] == hollow[key]


def test_the_communication_of_a_summary_is_told_by_kind_where_there_are_several(script):
    text = TRAIN.replace("        optimizer.step()", "        optimizer.step(); dist.all_gather_into_tensor(torch.empty(128, 512, device='cuda'), x)")
    lines = script(text, "--nproc", 2).stdout.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith("  D  communication ")]
    assert {line.split()[0] for line in lines[at + 1 : at + 3]} == {"all-reduce", "all-gather"}
    assert all(" of 2 " in line for line in lines[at + 1 : at + 3])
