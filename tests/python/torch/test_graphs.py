"""CUDA graphs: captured work is repeated on the same memory, and takes the host one launch."""

import json
import subprocess

import pytest

import stand_in

CUDA_PYTHONS = list(stand_in.cuda_pythons().values())

BEGIN = """
import torch, torch.nn as nn
on = dict(device="cuda")


def event():
    return torch.cuda.Event(enable_timing=True)


def picoseconds(call):
    begin, end = event(), event()
    torch.cuda.synchronize()
    begin.record()
    call()
    end.record()
    end.synchronize()
    return round(1e9 * begin.elapsed_time(end))


def captured(call, **settings):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, **settings):
        return graph, call()
"""


def lines_of(done):
    assert done.returncode == 0, done.stderr
    return [line.removeprefix("shown ") for line in done.stderr.splitlines() if line.startswith("shown ")]


@pytest.fixture
def simulated(script):
    """A script and options -> its lines, and its answer."""

    def run(text, *options):
        done = script(BEGIN + text, "--json", *options)
        return lines_of(done), json.loads(done.stdout)

    return run


TRAINS = """
data = torch.randn(6, 32, 64)


def model_and_optimizer():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 1)).cuda()
    return model, torch.optim.AdamW(model.parameters(), lr=0.1, capturable=True)


def train(begin):
    model, optimizer = model_and_optimizer()
    torch.cuda.manual_seed(1)
    x = torch.empty(32, 64, **on)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    losses, replay = [], step
    for at, batch in enumerate(data):
        if at == 2:
            replay = begin(step)
        x.copy_(batch)
        losses.append(replay().item())
    return losses, [p.detach().cpu() for p in (*model.parameters(), *model.buffers())]


def graphed(step):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    graph, loss = captured(step)
    return lambda: (graph.replay(), loss)[1]


"""

COMPARES = """
eager, of_eager = train(lambda step: step)
replayed, of_replayed = train(graphed)
print("shown", eager == replayed, len(set(eager)), all(map(torch.equal, of_eager, of_replayed)))
"""


def test_losses_by_replay_are_those_of_the_eager_run_bit_by_bit(simulated):
    # Forward, dropout, batch norm, backward and optimizer are in the graph, which is captured in the middle of training.
    lines, _ = simulated(TRAINS + COMPARES, "--nproc", 1)
    assert lines == ["True 6 True"]


def test_each_launch_of_a_graph_is_a_step_of_the_optimizer_in_it(simulated):
    assert simulated(TRAINS + "train(graphed)", "--nproc", 1)[1]["steps"] == 6


def test_a_capture_changes_no_memory_and_draws_no_random_numbers(simulated):
    lines, _ = simulated("""
x, offset = torch.ones(4, **on), torch.cuda.default_generators[0].get_offset()
host = torch.zeros(4).pin_memory()
graph, noise = captured(lambda: (x.add_(1), host.copy_(x, non_blocking=True), torch.rand(3, **on))[2])
print("shown", x.tolist(), host.tolist(), torch.cuda.default_generators[0].get_offset() == offset)
torch.cuda.manual_seed(5)
expected = [torch.rand(3, **on) for _ in range(2)]
torch.cuda.manual_seed(5)
for wanted in expected:
    graph.replay()
    torch.cuda.synchronize()
    print("shown", x.tolist(), host.tolist(), torch.equal(noise, wanted))
""", "--nproc", 1)
    assert lines == [f"{[1.0] * 4} {[0.0] * 4} True", *(f"{[n] * 4} {[n] * 4} True" for n in (2.0, 3.0))]


FORKS = """
x, w = torch.randn(512, 512, **on), torch.randn(512, 512, **on)


def body():
    y = x @ w
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        beside = y @ w @ w
    z = y + 1
    torch.cuda.current_stream().wait_stream(side)
    return beside + z


def price(call):
    # Keeps the stream busy until the host has launched the rest.
    torch.cuda._sleep(1_000_000)
    begin, end = event(), event()
    begin.record()
    call()
    end.record()
    end.synchronize()
    return round(1e9 * begin.elapsed_time(end))


product, sum_ = price(lambda: x @ w), price(lambda: x + w)
graph, out = captured(body)
torch.cuda.synchronize()
x.normal_()
once, ten = picoseconds(graph.replay), picoseconds(lambda: [graph.replay() for _ in range(10)])
print("shown", product, sum_, once, ten, torch.equal(out, body()))
"""


def test_a_launch_takes_one_call_of_the_host_and_its_branches_run_side_by_side(simulated):
    lines, _ = simulated(FORKS, "--nproc", 1, "--launch-microseconds", 7)
    *times, is_equal = lines[0].split()
    product, sum_, once, ten = map(int, times)
    # x @ w, then two matmuls in parallel with a sum, and the sum of both.
    kernels = 3 * product + sum_
    # A CUDA build's events have single precision.
    assert once == pytest.approx(7_000_000 + kernels, rel=1e-7)
    assert ten == pytest.approx(7_000_000 + 10 * kernels, rel=1e-7)
    assert is_equal == "True"


def test_memory_of_a_graph_is_its_own_until_it_is_gone(simulated):
    lines, _ = simulated("""
import gc


def show(what):
    print("shown", what, torch.cuda.memory_allocated() >> 20, torch.cuda.memory_reserved() >> 20)


def body():
    # two blocks of 4 MiB, one of them free afterwards, in a segment of 20 MiB
    return torch.ones(1 << 20, **on) * 2


first, out = captured(body)
show("captured")
second, other = captured(body, pool=first.pool())
show("shares")
kept = torch.empty(1 << 20, **on)
show("others have their own")
del kept, out, other
torch.cuda.empty_cache()
show("stays")
del first, second
gc.collect()
torch.cuda.empty_cache()
show("gone")
""", "--nproc", 1)
    assert lines == ["captured 4 20", "shares 8 20", "others have their own 12 40", "stays 0 20", "gone 0 0"]


REFUSED = "CUDA error: operation not permitted when stream is capturing"
PAGEABLE = "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned."
REFUSALS = {
    "x.sum().item()": REFUSED,
    "torch.cuda.synchronize()": REFUSED,
    "torch.cuda.current_stream().synchronize()": REFUSED,
    "torch.cuda.current_stream().query()": REFUSED,
    "x.nonzero()": REFUSED,
    "x.repeat_interleave(x.long())": REFUSED,
    "x[x > 0]": REFUSED,
    "before.synchronize()": REFUSED,
    "torch.empty(4).pin_memory().copy_(x)": REFUSED,
    "x.cpu()": PAGEABLE,
    "x.copy_(torch.ones(4))": PAGEABLE,
    "torch.tensor([1.0], device='cuda')": PAGEABLE,
    "torch.cuda.current_stream().wait_event(before)": "CUDA error: dependency created on uncaptured work in another stream",
    "fork()": "CUDA error: capturing stream has unjoined work",
}


@pytest.mark.parametrize("hollow", [[], ["--hollow"]], ids=["real", "hollow"])
def test_repeats_that_are_told_their_size_are_captured(simulated, hollow):
    lines, _ = simulated("""
x, times = torch.arange(3, **on), torch.tensor([2, 0, 1], **on)
graph, known = captured(lambda: x.repeat_interleave(times, output_size=3))
graph.replay()
drawn = (torch.randn(512, 512, **on) > 0).sum()
print("shown", known.tolist(), len(x.repeat_interleave(drawn.expand(3), output_size=3 * int(drawn) or 7)))
""", "--nproc", 1, *hollow)
    shown, size = lines[0].rsplit(" ", 1)
    # The repeat counts of a hollow run are made up, 0, and do not add up to the size.
    assert shown == "[0, 0, 2]" and (int(size) == 7) == bool(hollow)


def test_what_a_gpu_refuses_in_a_capture_is_refused_in_its_words(simulated):
    lines, _ = simulated(f"""
x, before, side = torch.ones(4, **on), event(), torch.cuda.Stream()
before.record()


def fork():
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        x + 1


for call in {list(REFUSALS)!r}:
    try:
        captured(lambda: eval(call))
    except RuntimeError as error:
        first = error.__context__ or error
        print("shown", call, "->", str(first).splitlines()[0])
        if error.__context__:
            print("shown then", str(error).splitlines()[0])
    torch.cuda.set_stream(torch.cuda.default_stream())
graph, out = captured(lambda: x + 1)
graph.replay()
print("shown and afterwards", out.tolist())
""", "--nproc", 1)
    then = [line for line in lines if line.startswith("then")]
    assert set(then) == {"then CUDA error: operation failed due to a previous error during capture"}
    assert len(then) == sum(why == REFUSED or "uncaptured" in why for why in REFUSALS.values())
    found = dict(line.split(" -> ") for line in lines if "->" in line)
    assert found.keys() == REFUSALS.keys()
    for call, why in REFUSALS.items():
        assert found[call].startswith(why), call
    assert lines[-1] == "and afterwards [2.0, 2.0, 2.0, 2.0]"


def test_graphs_are_captured_and_launched_as_pytorch_has_it(simulated):
    lines, _ = simulated("""
import warnings
graph = torch.cuda.CUDAGraph()
for call in (lambda: graph.capture_begin(), lambda: captured(lambda: graph.capture_begin())):
    try:
        call()
    except RuntimeError as error:
        print("shown", str(error).splitlines()[0])
    torch.cuda.set_stream(torch.cuda.default_stream())
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    captured(lambda: print("shown", torch.cuda.is_current_stream_capturing()))
print("shown", torch.cuda.is_current_stream_capturing(), any("The CUDA Graph is empty" in str(one.message) for one in said))
""", "--nproc", 1)
    assert lines == [
        "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the default stream.)",
        "ndsim captures one CUDA graph at a time",
        "True",
        "False True",
    ]


def test_graphed_callables_have_the_gradients_of_those_that_they_are_made_of(simulated):
    lines, _ = simulated("""
import copy
model = nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 8)).cuda()
eager = copy.deepcopy(model)
graphed = torch.cuda.make_graphed_callables(model, (torch.randn(16, 64, **on),))
for _ in range(3):
    x = torch.randn(16, 64, **on)
    losses = []
    for each in (eager, graphed):
        each.zero_grad(set_to_none=True)
        losses.append(each(x).square().mean())
        losses[-1].backward()
    grads = [[p.grad for p in each.parameters()] for each in (eager, graphed)]
    print("shown", losses[0].item() == losses[1].item(), all(map(torch.equal, *grads)))
""", "--nproc", 1)
    assert lines == ["True True"] * 3


COLLECTIVES = """
import os, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
rank, ranks = dist.get_rank(), dist.get_world_size()
x, whole, back = torch.zeros(1 << 20, **on), torch.empty(ranks << 20, **on), torch.empty(4, **on)


def body():
    doubled = x * 2
    work = dist.all_reduce(doubled, async_op=True)
    more = x + 1
    work.wait()
    dist.all_gather_into_tensor(whole, doubled + more)
    ends = [dist.P2POp(dist.isend, x[:4] + rank, (rank + 1) % ranks), dist.P2POp(dist.irecv, back, (rank - 1) % ranks)]
    for each in dist.batch_isend_irecv(ends):
        each.wait()
    return whole.view(ranks, -1)[:, 0] * 1, back * 1


body()
graph, out = captured(body)
for value in range(3):
    x.fill_(rank + value)
    dist.barrier()
    took = picoseconds(graph.replay)
    found = [each.clone() for each in out]
    print("shown", rank, took, all(map(torch.equal, found, body())), found[0].tolist(), found[1].tolist())
"""


def test_collectives_in_a_graph_meet_at_each_launch(simulated):
    lines, run = simulated(COLLECTIVES, "--nproc", 2)
    took = {line.split()[1] for line in lines}
    assert len(took) == 1
    # The sum of both ranks' 2 (rank + value), and rank + value + 1 of each; the other rank's value comes back twice.
    assert sorted(line.split(" ", 2)[0] + line.split(" ", 2)[2].removeprefix(took.copy().pop()) for line in lines) == sorted(
        f"{rank}True {[2.0 * (2 * value + 1) + member + value + 1 for member in range(2)]} {[2.0 * (1 - rank) + value] * 4}"
        for rank in range(2) for value in range(3)
    )


def test_a_collective_in_a_graph_waits_for_none_before_the_capture_and_a_mask_that_is_filled_for_no_numbers(simulated):
    lines, _ = simulated("""
import os, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
before, x = torch.ones(1 << 16, **on), torch.ones(1 << 16, **on)
dist.all_reduce(before)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
    x[x > 3] = 0
for _ in range(3):
    graph.replay()
    print("shown", before[0].item(), x[0].item())
""", "--nproc", 2)
    assert sorted(lines) == sorted(2 * ["2.0 2.0", "2.0 0.0", "2.0 0.0"])


def test_the_timeline_is_the_same_in_every_run_and_in_a_hollow_one(simulated):
    found = {simulated(COLLECTIVES, "--nproc", 2, *hollow)[1]["timeline_sha256"] for hollow in ((), (), ("--hollow",))}
    assert len(found) == 1


@pytest.mark.skipif(not CUDA_PYTHONS, reason="no Python with a PyTorch for CUDA: NDSIM_TORCH_PYTHON names some")
@pytest.mark.parametrize("text, ranks", [(TRAINS + COMPARES + FORKS, 1), (COLLECTIVES, 2)])
def test_both_builds_have_one_timeline_and_one_memory(simulated, tmp_path, text, ranks):
    _, ours = simulated(text, "--nproc", ranks)
    words = ["-B", "-m", "ndsim.torchrun", "--json", "--nproc", str(ranks), "train.py"]
    done = subprocess.run([CUDA_PYTHONS[0], *words], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout)
    assert (ours["timeline_sha256"], ours["memory"]) == (theirs["timeline_sha256"], theirs["memory"])
