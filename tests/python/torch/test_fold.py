"""Folded runs: a few ranks stand for many, in the time that all of them would need."""

import json
import pathlib

import pytest

LESSONS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "pytorch"
FOLDER = pathlib.Path(__file__).resolve().parent

# Script, machine, ranks, running ranks, arguments.
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
        ("dist.send(x, 3)", "train.py:7: a message to rank 3 cannot run here: rank 3 is folded away; with --fold auto it runs"),
        ("dist.recv(x, 2)", "train.py:7: a message from rank 2 cannot run here: rank 2 is folded away; with --fold auto it runs"),
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
    assert done.stderr == f"ndsim.torchrun: --fold {fold}: the 4 ranks are not a multiple of it\n"


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


# Two stages, each replicated `world / 2` times; the ranks of a stage are neighbours.
STAGES = """
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(rank % torch.cuda.device_count())
    copies = world // 2
    pipelines = [dist.new_group([copy, copy + copies]) for copy in range(copies)]
    stages = [dist.new_group(list(range(stage * copies, (stage + 1) * copies))) for stage in range(2)]
    stage, copy = divmod(rank, copies)
    layer = torch.nn.Linear(2048, 2048 * (1 + stage), device="cuda")
    layer = torch.nn.parallel.DistributedDataParallel(layer, process_group=stages[stage])
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(3):
        x = torch.ones(64, 2048, device="cuda", requires_grad=True)
        if stage == 0:
            y = layer(x)
            dist.send(y, copies + copy, group=pipelines[copy])
            gradient = torch.empty_like(y)
            dist.recv(gradient, copies + copy, group=pipelines[copy])
            y.backward(gradient)
        else:
            dist.recv(x.data, copy, group=pipelines[copy])
            layer(x).sum().backward()
            dist.send(x.grad, copy, group=pipelines[copy])
        optimizer.step()
    print("rank", rank)
"""


def same_times(row):
    return {key: value for key, value in row.items() if key not in ("pid", "stands_for")}


@pytest.mark.parametrize(("machine", "world"), [("dgx-h100", 8), (FOLDER / "node_of_2.toml", 8)])
def test_the_stages_of_a_pipeline_are_found_and_run(answer, machine, world):
    whole = answer(STAGES, "--machine", machine, "--nproc", world, "--hollow")
    folded = answer(STAGES, "--machine", machine, "--nproc", world, "--fold", "auto")
    assert [(row["rank"], row["stands_for"]) for row in folded["per_rank"]] == [(0, 4), (4, 4)]
    assert [same_times(row) for row in folded["per_rank"]] == [same_times(whole["per_rank"][rank]) for rank in (0, 4)]
    assert folded["step_seconds"] == whole["step_seconds"]
    assert folded["breakdown"] == pytest.approx(whole["breakdown"])
    assert (folded["ranks"], folded["ranks_run"]) == (world, 2)


def test_ranks_that_begin_anew_are_named(script):
    done = script(STAGES, "--nproc", 1024, "--fold", "auto")
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        0,
        "ndsim: rank 512 must run too, because running ranks exchange messages with them: starting over",
    )
    assert sorted(line for line in done.stdout.splitlines() if line.startswith("rank ")) == ["rank 0", "rank 512"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("some", "must be a number of ranks, auto, or auto: with ranks, as auto:0,1023"),
        ("0", "must be at least 1"),
        ("auto:", "has nothing where the number of a rank belongs, as in auto:0,1023"),
        ("auto:0,x", "has 'x' where the number of a rank belongs, as in auto:0,1023"),
        ("auto:4", "there are ranks 0 to 3"),
    ],
)
def test_a_fold_that_cannot_be_is_refused(script, asked, words):
    done = script("pass", "--nproc", 4, "--fold", asked)
    assert (done.returncode, done.stderr) == (2, f"ndsim.torchrun: --fold {asked}{':' if asked == 'auto:4' else ''} {words}\n")


def test_a_fault_of_a_rank_that_is_folded_away_is_refused(script):
    done = script("pass", "--nproc", 4, "--fold", 2, "--fault", "kill rank 3 at 1s")
    assert (done.returncode, done.stderr) == (2, "ndsim.torchrun: kill rank 3 at 1s: rank 3 is not one of those that run\n")


def test_the_trace_of_a_folded_run_names_the_ranks_that_ran(script, tmp_path):
    assert script(STAGES, "--nproc", 1024, "--fold", "auto", "--trace", tmp_path / "run.json").returncode == 0
    names = [each["args"]["name"] for each in json.loads((tmp_path / "run.json").read_text())["traceEvents"] if each["name"] == "process_name"]
    assert [name.split(" (")[0] for name in names] == ["Rank 0", "Rank 512"]
