"""Folded runs: few ranks run in the place of many, in the time that all of them would need."""

import json
import pathlib

import pytest

LESSONS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "pytorch"
FOLDER = pathlib.Path(__file__).resolve().parent

# Script, machine, ranks, of which so many run, arguments.
SAME = [
    ("ddp", "dgx-h100", 4, 1, ["--epochs", "1"]),
    ("ddp", "dgx-h100", 16, 2, ["--epochs", "1"]),
    ("fsdp", "dgx-h100", 4, 2, ["--blocks", "2"]),
    ("fsdp", "dgx-h100", 16, 1, ["--blocks", "2", "--width", "64"]),
    ("hybrid", FOLDER / "node_of_2.toml", 4, 2, ["--tensor", "2", "--width", "64"]),
    ("hybrid", "dgx-h100", 16, 8, ["--width", "64"]),
]


def name(run):
    return f"{run[0]}-{run[2]}-as-{run[3]}"


def run_of(command, run, *options):
    lesson, machine, ranks, _, arguments = run
    done = command("--json", "--machine", machine, "--nproc", ranks, *options, LESSONS / f"{lesson}.py", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("run", SAME, ids=name)
def test_a_folded_run_has_the_step_of_the_whole(command, run):
    whole, folded = run_of(command, run), run_of(command, run, "--fold", run[3])
    assert folded["step_seconds"] == whole["step_seconds"]
    assert folded["memory"] == whole["memory"]
    assert (folded["ranks"], len(folded["per_rank"])) == (whole["ranks"], run[3])


BEGIN = """
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    x = torch.full((4,), float(rank + 1), device="cuda")
"""


def test_a_script_sees_a_world_of_1024(printed):
    text = """
    import os
    dist.all_reduce(x)
    every = torch.zeros(world, device="cuda")
    dist.all_gather_into_tensor(every, torch.ones(1, device="cuda"))
    print(rank, world, os.environ["WORLD_SIZE"], os.environ["LOCAL_WORLD_SIZE"], os.environ["GROUP_WORLD_SIZE"], x[0].item(), every.sum().item())
    """
    assert printed(BEGIN + text, "--nproc", 1024, "--fold", 2) == [
        "0 1024 1024 8 128 1536.0 1024.0",
        "1 1024 1024 8 128 1536.0 1024.0",
    ]


def test_fsdp_of_a_world_of_1024_keeps_a_1024th(answer):
    text = """
    import torch
    import torch.distributed as dist
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank() % 8)
    model = FSDP(torch.nn.Linear(1024, 1024, bias=False), device_id=torch.cuda.current_device())
    assert sum(each.numel() for each in model.parameters()) == 1024
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        model(torch.ones(4, 1024, device="cuda")).sum().backward()
        optimizer.step()
    """
    found = answer(text, "--nproc", 1024, "--fold", 1)
    assert (found["ranks"], len(found["per_rank"]), found["steps"]) == (1024, 1, 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dist.send(x, 3)", "train.py:7: a message to rank 3 cannot run here: ranks from 2 on are folded away; with --fold 4 or more it runs"),
        ("dist.recv(x, 2)", "train.py:7: a message from rank 2 cannot run here: ranks from 2 on are folded away; with --fold 3 or more it runs"),
    ],
)
def test_a_message_with_a_rank_that_is_folded_away_is_refused(script, text, words):
    done = script(BEGIN + "    " + text, "--nproc", 4, "--fold", 2)
    assert done.returncode == 2
    assert done.stderr.startswith(f"ndsim.torchrun: {words}")


@pytest.mark.parametrize("fold", [3, 5, 8])
def test_a_world_that_is_no_multiple_is_refused(script, fold):
    done = script("pass", "--nproc", 4, "--fold", fold)
    assert done.returncode == 2
    assert done.stderr == f"ndsim.torchrun: --fold {fold}: the 4 ranks are no multiple of it\n"


def test_the_root_of_a_collective_may_be_folded_away(printed):
    text = """
    dist.broadcast(x, 3)
    print(rank, "broadcast", x[0].item())
    y = torch.full((1,), float(rank + 1), device="cuda")
    dist.reduce(y, 2)
    part = torch.zeros(1, device="cuda")
    dist.scatter(part, [torch.full((1,), 10.0 + each, device="cuda") for each in range(world)] if rank == 1 else None, src=1)
    print(rank, "scatter", part.item())
    """
    assert printed(BEGIN + text, "--nproc", 4, "--fold", 2) == [
        "0 broadcast 2.0",
        "0 scatter 10.0",
        "1 broadcast 2.0",
        "1 scatter 11.0",
    ]


def test_objects_are_those_of_the_ranks_that_run(printed):
    text = """
    every = [None] * world
    dist.all_gather_object(every, {"rank": rank})
    told = [f"of {rank}"]
    dist.broadcast_object_list(told, src=0)
    print(rank, [each["rank"] for each in every], told)
    """
    assert printed(BEGIN + text, "--nproc", 4, "--fold", 2) == ["0 [0, 1, 0, 1] ['of 0']", "1 [0, 1, 0, 1] ['of 0']"]


def test_folded_and_hollow_together_are_both(command):
    run = ("fsdp", "dgx-h100", 16, 8, ["--blocks", "2"])
    whole, both = run_of(command, run), run_of(command, run, "--fold", 8, "--hollow")
    assert both["step_seconds"] == whole["step_seconds"]
