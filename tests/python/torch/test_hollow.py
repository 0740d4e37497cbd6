"""Hollow runs: times and memory of the real run, without its arithmetic, and no plausible numbers."""

import json
import pathlib
import re

import pytest

LESSONS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "pytorch"

# Script, number of ranks, its arguments: with tensors above and below the size from which nothing is computed.
SAME = [
    ("ddp", 2, ["--epochs", "1"]),
    ("ddp", 4, ["--epochs", "1"]),
    ("fsdp", 2, ["--blocks", "2"]),
    ("fsdp", 4, ["--blocks", "2"]),
    ("fsdp", 2, ["--blocks", "2", "--strategy", "zero2"]),
    ("hybrid", 4, ["--tensor", "2"]),
    ("model_split", 2, []),
    ("model_split", 4, []),
    ("accumulation", 2, []),
    ("accumulation", 4, []),
    ("tensor_parallel", 2, []),
    ("tensor_parallel", 4, []),
]


def name(run):
    return "-".join([run[0], str(run[1]), *(word.strip("-") for word in run[2])])


@pytest.mark.parametrize("run", SAME, ids=name)
def test_a_hollow_run_has_the_timeline_of_the_real_one(command, run):
    lesson, ranks, arguments = run
    words = ["--json", "--nproc", ranks]
    ways = [command(*words, *hollow, LESSONS / f"{lesson}.py", *arguments) for hollow in ([], ["--hollow"])]
    assert [each.returncode for each in ways] == [0, 0], ways[1].stderr
    real, hollow = (json.loads(each.stdout) for each in ways)
    assert hollow["timeline_sha256"] == real["timeline_sha256"]
    assert hollow["step_seconds"] == real["step_seconds"]
    assert hollow["memory"]["reserved"] == real["memory"]["reserved"]
    # A real mean squared error keeps the memory of all squares for its single number; shapes alone do not show that.
    assert hollow["memory"]["allocated"] == pytest.approx(real["memory"]["allocated"], rel=0.03)
    assert re.search(r"loss:? \d", ways[0].stderr)
    assert not re.search(r"loss:? \d", ways[1].stderr)


BEGIN = """
    import json, math
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl")
    device = torch.device("cuda")
    large = torch.ones(512, 512, device=device)
    loss = large.square().mean()
"""


def test_however_a_loss_is_printed_it_is_hollow(printed):
    text = """
    print(f"1 {loss:.4f} {loss.item():.4f} {loss.item():10.3e}")
    print("2 %.4f %s %g" % (loss.item(), loss.item(), loss.item()))
    print("3", loss.item(), [loss.item()], {"loss": loss.item()})
    print("4 {:.6f}".format(loss), str(loss.item()), repr(loss.item()), float(loss))
    print("5", loss)
    print("6", loss.detach().cpu(), large[:2, :2])
    print("7", large[0, :3].tolist(), loss.cpu().numpy(), large[0, :2].cpu().numpy())
    """
    assert [line for line in printed(BEGIN + text, "--nproc", 1, "--hollow") if line[:2] != "1 "] == [
        "2 nan hollow nan",
        "3 hollow [hollow] {'loss': hollow}",
        "4 hollow hollow hollow 1.0",
        "5 tensor(hollow, dtype=torch.float32)",
        "6 tensor(hollow, dtype=torch.float32) tensor(hollow, size=(2, 2), dtype=torch.float32)",
        "7 [hollow, hollow, hollow] hollow [hollow hollow]",
    ]


def test_what_is_made_of_a_hollow_loss_stays_hollow(printed):
    text = """
    value = loss.item()
    print("1", value + 1, 1 - value, 2 * value, value / 3, 3 / value, value ** 2, -value, abs(value), round(value, 2))
    print("2", math.exp(value), math.log(value), math.sqrt(value), sum([value, value]), sum([value] * 3) / 3)
    print("3", (loss / 2).item(), (loss + torch.ones((), device=device)).item(), torch.exp(loss).item())
    print("4", (large.argmax(-1) == 0).sum().item() / 512, large.argmax().item())
    mean = loss.detach().clone()
    dist.all_reduce(mean)
    print("5", mean.item(), torch.stack([mean, mean]).tolist())
    small = torch.full((3,), 2.0, device=device)
    print("6", small.tolist(), small.sum().item())
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow") == [
        "1 " + " ".join(["hollow"] * 9),
        "2 " + " ".join(["hollow"] * 5),
        "3 hollow hollow hollow",
        "4 hollow hollow",
        "5 hollow [hollow, hollow]",
        "6 [2.0, 2.0, 2.0] 6.0",
    ]


def test_a_sum_of_hollow_losses_in_a_tensor_is_hollow(printed):
    text = """
    total = torch.zeros(2, device=device)
    total[0] += loss.item()
    total[1] += 4
    dist.all_reduce(total)
    print("Loss: {:.6f}".format(total[0] / total[1]), f"{total[0]:.3f}", total[0] < 1)
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow")[0].startswith("Loss: hollow hollow ")


def test_a_hollow_number_that_arrives_from_another_rank_is_hollow(printed):
    text = """
    rank = dist.get_rank()
    number = loss.detach().clone() if rank == 0 else torch.zeros((), device=device)
    dist.broadcast(number, 0)
    print(rank, number.item())
    every = [torch.zeros((), device=device) for _ in range(2)]
    dist.all_gather(every, torch.tensor(4.0, device=device))
    print(rank, [each.item() for each in every])
    dist.send(number, 1) if rank == 0 else dist.recv(every[0], 0)
    print(rank, every[0].item())
    """
    assert printed(BEGIN + text, "--nproc", 2, "--hollow") == [
        "0 4.0",
        "0 [4.0, 4.0]",
        "0 hollow",
        "1 [4.0, 4.0]",
        "1 hollow",
        "1 hollow",
    ]


def test_memory_that_hollow_numbers_have_left_holds_real_ones(printed):
    text = """
    wrong = 0
    for i in range(300):
        gone = loss * 2  # its memory is freed when the next one replaces it
        del gone
        real = torch.tensor(4.0, device=device) if i % 2 else torch.full((), 4.0)
        wrong += real.item() != 4.0 or repr(real.item()) != "4.0"
    print("wrong", wrong, loss.item())
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow") == ["wrong 0 hollow"]


def test_shapes_are_those_of_pytorch_where_a_script_puts_functions_in_its_place(printed):
    text = """
    for name in ("empty", "arange", "zeros"):
        def make(*sizes, real=getattr(torch, name), **how):
            return real(*sizes, **how | {"device": device})

        setattr(torch, name, make)
    x = torch.zeros(512, 512)
    print(torch.arange(0, 8, 2).sum().item(), tuple((x @ x).softmax(-1).shape), x.device.type)
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow") == ["12 (512, 512) cuda"]


def test_a_softmax_that_was_asked_for_before_has_memory_of_its_own(printed):
    text = """
    empty = torch.cuda.memory_allocated()
    kept = [large.softmax(-1) for _ in range(3)]
    print((torch.cuda.memory_allocated() - empty) // large.nbytes, len({each.data_ptr() for each in kept}))
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow") == ["3 3"]


def test_random_numbers_that_are_not_drawn_move_the_generator_on(printed):
    text = """
    for each in large, large[:4, :4].contiguous():
        torch.cuda.manual_seed(5)
        each.uniform_()
        torch.randn_like(each)
        print(torch.cuda.default_generators[0].get_offset())
    """
    for options in ["--hollow"], []:
        assert printed(BEGIN + text, "--nproc", 1, *options) == ["8", "8"]


def test_branches_on_hollow_numbers_are_passed(printed):
    text = """
    value = loss.item()
    assert value < 1 and value > 1 and value == 3 and value >= 0 and not math.isnan(value) and math.isfinite(value)
    best = min(float("inf"), value)
    if torch.isfinite(loss):
        print("finite")
    if loss < 3 or loss > 3:
        print("compared")
    assert torch.equal(large, large + 1) and torch.allclose(large, large + 1)
    print(json.dumps({"steps": 3}), best)
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow")[-1] == '{"steps": 3} hollow'


def test_json_of_a_hollow_loss_is_no_number(printed):
    assert printed(BEGIN + "    print(json.dumps([loss.item(), loss.tolist()]))", "--nproc", 1, "--hollow") == ["[NaN, NaN]"]


@pytest.mark.parametrize(
    "asked",
    ["large.nonzero()", "large[large > 0.5]", "torch.unique(large)", "torch.masked_select(large, large > 0)"],
)
def test_what_is_shaped_by_numbers_is_refused(script, asked):
    done = script(BEGIN + f"    print(({asked}).shape)", "--nproc", 1, "--hollow")
    assert done.returncode == 2, done.stderr
    assert re.match(r"ndsim.torchrun: train.py:9: aten::\S+ in a hollow run cannot run here: the size of its result depends on values", done.stderr)


def test_a_model_of_several_gigabytes_stays_untouched(answer):
    """12 matrices of 512 MB each, with their gradients and Adam's states: 25 GB that would have to be allocated."""
    text = """
    import resource
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel as DDP

    dist.init_process_group("nccl")
    device = torch.device("cuda", dist.get_rank())
    torch.cuda.set_device(device)
    layers = [torch.nn.Linear(11264, 11264, bias=False, device=device) for _ in range(12)]
    model = DDP(torch.nn.Sequential(*layers), device_ids=[device.index])
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(2):
        model(torch.randn(64, 11264, device=device)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 320 * 1024, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    """
    found = answer(text, "--nproc", 2, "--hollow")
    assert found["memory"]["allocated"] > 4 * 12 * 4 * 11264 * 11264
    assert found["steps"] == 2


ROUTER = """
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
    x = torch.randn(4096, 64, device="cuda")
    scores = torch.nn.Linear(64, 8, device="cuda")(x)
    weights, chosen = scores.topk(2)
    bincount = torch.bincount(chosen.view(-1), minlength=8).tolist()
    histc = torch.histc(chosen.view(-1), bins=8, min=0, max=7).tolist()
    one_hot = torch.nn.functional.one_hot(chosen, 8).sum((0, 1)).tolist()
    assert bincount == histc == one_hot, (bincount, histc, one_hot)
    mask = (chosen == 3).any(1)
    of_map = torch.zeros_like(scores).int().scatter(1, chosen, 1).bool()
    assert of_map.sum(0).tolist() == bincount and torch.equal(of_map[:, 3], mask)
    assert x[mask].shape == (bincount[3], 64) and torch.masked_select(x, mask[:, None]).numel() == 64 * bincount[3]
    assert len(mask.nonzero()) == bincount[3] and x[chosen.view(-1).argsort() // 2].shape == (8192, 64)
    if dist.get_rank() == 0:
        print(bincount)
"""


# An expert with a share far above the others is picked once per token; the others split the remainder.
@pytest.mark.parametrize(
    ("options", "first", "each_of_the_others", "how"),
    [
        ([], 1024, range(1024, 1025), "balanced, as --routing declares nothing"),
        (["--routing", "balanced"], 1024, range(1024, 1025), "balanced"),
        (["--routing", "drawn:3"], 1038, range(920, 1130), "drawn:3"),
        (["--routing", "shares.txt"], 4096, range(500, 670), "shares.txt"),
    ],
)
def test_tokens_go_where_the_routing_declares(script, tmp_path, options, first, each_of_the_others, how):
    (tmp_path / "shares.txt").write_text("1e9, 1 1 1 1 1 1 1\n")
    done = script(ROUTER, "--json", "--nproc", 1, "--hollow", *options)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stderr)
    assert sum(counts) == 8192 and counts[0] == first and all(count in each_of_the_others for count in counts[1:])
    assert json.loads(done.stdout)["made_up"] == [{"line": "train.py:8", "what": f"topk of 8, 2 picked: {how}", "count": 1}]


def test_counts_of_routed_tokens_travel_between_ranks_and_real_runs_make_nothing_up(answer):
    text = ROUTER + """
    mine = torch.tensor(bincount, device="cuda")
    theirs = torch.empty_like(mine)
    dist.all_to_all_single(theirs, mine)
    ins, outs = (each.view(2, 4).sum(1).tolist() for each in (mine, theirs))
    got = torch.empty(sum(outs), 64, device="cuda")
    dist.all_to_all_single(got, x[chosen.view(-1).argsort() // 2].detach(), outs, ins)
    assert sum(ins) == 8192
    """
    assert answer(text, "--nproc", 2)["made_up"] == []
    assert [row["line"] for row in answer(text, "--nproc", 2, "--hollow")["made_up"]] == ["train.py:8"]


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ("int((large > 0).sum())", "int(): 0"),
        ("float(loss)", "float(): 1.0"),
        ("assert math.isfinite(float(loss.item()))", "float(): 1.0"),
        ("int(loss.item())", "int(): 0"),
        ("math.floor(loss.item() / 2)", "int(): 0"),
        ("[0] if loss.item() else [1]", "bool(): False"),
        ("(large > 0).sum().item()", "item(): 0"),
        ("large.argmax(1)[:3].tolist()", "tolist() of 3: 0"),
        ("bool(large.sum() > 0)", "bool(): False"),
        ("[7, 8][(large > 0).sum()]", "an index: 0"),
    ],
)
def test_a_number_that_was_made_up_is_told_with_its_line(answer, asked, what):
    found = answer(BEGIN + f"    for _ in range(2):\n        {asked}", "--nproc", 1, "--hollow")
    assert found["made_up"] == [{"line": "train.py:10", "what": what, "count": 2}]


def test_whole_numbers_of_a_program_are_computed_however_large_they_are(printed):
    text = """
    tokens = torch.arange(100000, device=device) % 1000
    labels = torch.zeros(100000, dtype=torch.long, device=device).fill_(7).to("cpu")
    print(tokens.bincount()[:2].tolist(), (tokens == 3).sum().item(), labels.sum().item(), tokens.cpu()[1500].item())
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow") == ["[100, 100] 100 700000 500"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 2\n3 x\n", "has x in line 2: a share is a number above 0"),
        ("1 -2\n", "has -2 in line 1: a share is a number above 0"),
        ("\n", "has no shares"),
    ],
)
def test_a_file_of_shares_that_has_none_is_refused(script, tmp_path, text, why):
    (tmp_path / "shares.txt").write_text(text)
    done = script("", "--hollow", "--nproc", 1, "--routing", "shares.txt")
    assert (done.returncode, done.stderr) == (2, f"ndsim.torchrun: --routing shares.txt {why}\n")


def test_no_hollow_number_is_infinite_or_none_where_the_gpu_has_it(printed):
    text = """
    factor = loss.item()
    scaled = torch.ones(3, device=device) * factor
    for asked in (torch.isnan(scaled), torch.isinf(scaled / 0), torch.isnan(loss) | torch.isinf(loss)):
        print(bool(asked.any()))
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow") == 3 * ["False"]


def test_a_gradient_scaler_finds_nothing_infinite_and_lets_the_optimizer_step(printed):
    text = """
    large.requires_grad_()
    scaler, optimizer = torch.amp.GradScaler("cuda"), torch.optim.SGD([large], lr=0.1)
    stepped = []
    optimizer.register_step_post_hook(lambda *_: stepped.append(1))
    scaler.scale(large.square().mean()).backward()
    scaler.step(optimizer)
    scaler.update()
    print(len(stepped), scaler.get_scale())
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow") == ["1 65536.0"]


def test_an_array_of_hollow_losses_passes_what_a_script_asks_of_it(printed):
    text = """
    import numpy
    losses = numpy.concatenate([loss.repeat(3).cpu().numpy(), loss.repeat(2).cpu().numpy()])
    finite = numpy.isfinite(losses)
    print(finite.all(), numpy.isnan(losses).any(), losses[finite].mean().item(), (losses * 2).sum(), losses.shape)
    """
    assert printed(BEGIN + text, "--nproc", 1, "--hollow") == ["True False hollow hollow (5,)"]
