"""CUDA as a script sees it: devices, streams, events, memory, autocast, checkpoints."""

import re

import pytest

BEGIN = """
import os
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
"""

GROUP = """
dist.init_process_group("nccl")
rank, ranks = dist.get_rank(), dist.get_world_size()
torch.cuda.set_device(rank)
"""


@pytest.fixture
def holds(script):
    """The rest of a script holds; returns its output."""

    def run(text, ranks=1, group=False):
        done = script(BEGIN + (GROUP if group else "") + text, "--nproc", ranks)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize("machine", ["g4dn.2xlarge", "dgx-1v", "dgx-a100", "dgx-h100", "dgx-b200", "rtx-5090"])
def test_no_gpu_is_called_too_old_or_too_new_for_the_installed_pytorch(script, machine):
    done = script("import torch; torch.ones(3, device='cuda'); print(torch.cuda.get_device_capability())", "--machine", machine)
    assert done.returncode == 0
    assert "capability" not in done.stderr and "Reinstall" not in done.stderr, done.stderr


def test_tensors_say_where_they_are(holds):
    holds("""
assert torch.cuda.is_available() and torch.cuda.device_count() == 8
assert torch.cuda.get_device_name() == "NVIDIA H100 80GB HBM3"
assert torch.cuda.get_device_properties(0).total_memory == 84929347584
torch.cuda.set_device(2)
assert torch.cuda.current_device() == 2
host = torch.ones(3)
assert host.device == torch.device("cpu") and not host.is_cuda
for gpu in (host.cuda(), host.to("cuda"), host.to(2), host.to(torch.device("cuda:2")),
            host.to(device="cuda", dtype=torch.float64), torch.ones(3, device="cuda"), torch.tensor([1, 2], device="cuda"), torch.as_tensor([1.0], device=2),
            torch.zeros_like(host, device="cuda"), host.new_zeros(2, device="cuda"), torch.arange(3, device="cuda:2")):
    assert gpu.device == torch.device("cuda:2") and gpu.is_cuda and gpu.get_device() == 2, gpu
gpu = host.cuda()
for derived in (gpu + 1, gpu.view(3, 1), gpu.double(), gpu.to(torch.float16), gpu[0], gpu.new_zeros(2), gpu.clone(),
                torch.zeros_like(gpu), gpu.detach(), gpu.to(gpu), gpu.type_as(gpu.double()), torch.stack([gpu, gpu])):
    assert derived.device == gpu.device, derived
assert gpu.to("cuda") is gpu and gpu.cuda() is gpu and host.cpu() is host
back = gpu.cpu()
back[0] = 7
assert gpu[0].item() == 1 and not back.is_cuda and back.numpy()[0] == 7
assert gpu.type() == "torch.cuda.FloatTensor" and repr(gpu) == "tensor([1., 1., 1.], device='cuda:2')"
try:
    gpu.numpy()
    raise AssertionError("numpy() of a tensor on the GPU")
except TypeError as error:
    assert "Use Tensor.cpu()" in str(error)
try:
    torch.cuda.set_device(8)
    raise AssertionError("device 8 of 8")
except RuntimeError as error:
    assert "invalid device ordinal" in str(error)
with torch.cuda.device(5):
    assert torch.ones(1, device="cuda").get_device() == 5
assert nn.Linear(2, 2).cuda().weight.is_cuda and nn.Linear(2, 2, device="cuda").weight.is_cuda
""")


def test_memory_is_that_of_the_gpus_tensors_alone(holds):
    holds("""
kept = torch.ones(1 << 20)
torch.cuda.set_device(0)
assert torch.cuda.memory_allocated() == 0
gpu = kept.cuda()
assert torch.cuda.memory_allocated() == 4 << 20
view = gpu[10:].view(-1)
assert torch.cuda.memory_allocated() == 4 << 20
del gpu
assert torch.cuda.memory_allocated() == 4 << 20
more = view + 1
del view
assert torch.cuda.memory_allocated() == 4 << 20 and torch.cuda.max_memory_allocated() == 8 << 20
torch.cuda.reset_peak_memory_stats()
assert torch.cuda.max_memory_allocated() == 4 << 20
assert torch.cuda.memory_stats()["allocated_bytes.all.current"] == 4 << 20
free, total = torch.cuda.mem_get_info()
assert total - free == torch.cuda.memory_reserved() >= 4 << 20
x = torch.ones(1024, 1024, device="cuda", requires_grad=True)
before = torch.cuda.memory_allocated()
y = x.relu().tanh().exp()
# Autograd keeps the results of relu, tanh and exp.
assert torch.cuda.memory_allocated() - before == 3 * (4 << 20)
y.sum().backward()
del y
assert torch.cuda.memory_allocated() - before == 4 << 20
del more, x
assert torch.cuda.memory_allocated() == 0
torch.cuda.empty_cache()
assert torch.cuda.memory_reserved() == 0
more = torch.ones(10, device="cuda")
more.untyped_storage().resize_(4 << 20) if hasattr(more, "untyped_storage") else more.storage().resize_(1 << 20)
assert torch.cuda.memory_allocated() == 4 << 20
""")


def test_a_full_gpu_is_out_of_memory(holds):
    holds("""
try:
    kept = [torch.empty(8 << 30, dtype=torch.uint8, device="cuda") for _ in range(10)]
    raise AssertionError("80 GiB of 79.1 GiB")
except torch.cuda.OutOfMemoryError as error:
    assert "CUDA out of memory" in str(error)
""")


def test_events_measure_the_device_and_the_clock_the_host(holds):
    holds("""
import time
a = torch.ones(8192, 8192, device="cuda", dtype=torch.bfloat16)
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
torch.cuda.synchronize()
t = time.perf_counter()
begin.record()
for _ in range(3):
    a.view(-1, 1).add_(1)
end.record()
launched = time.perf_counter() - t
torch.cuda.synchronize()
waited = time.perf_counter() - t
device = begin.elapsed_time(end) / 1e3
# Three times 2 x 128 MiB at no more than 3.35 TB/s.
assert 3 * 2**28 / 3.35e12 < device < 1e-3, device
assert launched < 1e-4 < device <= waited, (launched, device, waited)
try:
    begin.elapsed_time(torch.cuda.Event())
    raise AssertionError("an event without timing")
except (RuntimeError, ValueError):  # the latter since 2.9
    pass
""")


def test_a_collective_on_a_side_stream_runs_beside_the_computing(holds):
    holds(
        """
side = torch.cuda.Stream()
big = torch.ones(64 << 20, device="cuda")
a = torch.ones(8192, 8192, device="cuda", dtype=torch.bfloat16)


def duration(overlap):
    dist.barrier()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    if overlap:
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            dist.all_reduce(big)
            big.div_(2)
            half = big.to(torch.float16)
    else:
        dist.all_reduce(big)
        big.div_(2)
        half = big.to(torch.float16)
    for _ in range(8):
        a.add_(1)
    torch.cuda.current_stream().wait_stream(side)
    end.record()
    torch.cuda.synchronize()
    assert half[-1].item() == 1.0 and half.is_cuda
    return begin.elapsed_time(end)


alone = duration(False)
beside = duration(True)
assert beside < 0.85 * alone, (beside, alone)
assert big[0].item() == 1.0
event = torch.cuda.Event()
with torch.cuda.stream(side):
    work = dist.all_reduce(big, async_op=True)
    work.wait()
    event.record()
assert torch.cuda.current_stream() == torch.cuda.default_stream() != side
torch.cuda.current_stream().wait_event(event)
assert big[-1].item() == 2.0
side.synchronize()
assert side.query() and event.query()
""",
        ranks=2,
        group=True,
    )


def test_autocast_computes_in_16_bits_and_the_scaler_scales(holds):
    holds("""
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.cuda.amp.GradScaler(init_scale=4.0, growth_interval=2)
x, y = torch.randn(8, 16, device="cuda"), torch.randn(8, 1, device="cuda")
for step in range(3):
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        out = model(x)
        assert out.dtype is torch.bfloat16 and out.is_cuda
        loss = F.mse_loss(out.float(), y)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
assert scaler.get_scale() == 8.0, scaler.get_scale()
before = model[0].weight.clone()
optimizer.zero_grad()
scaler.scale(model(x * float("inf")).sum()).backward()
scaler.step(optimizer)
scaler.update()
assert torch.equal(before, model[0].weight) and scaler.get_scale() == 4.0
with torch.cuda.amp.autocast():
    model(x).sum().backward()
half = model.half()(x.half())
assert half.dtype is torch.float16 and torch.isfinite(half).all()
""")


def test_checkpoints_come_back_to_where_they_were_and_elsewhere(holds, tmp_path):
    holds(
        f"""
file = "{tmp_path}/model.pt"
model = nn.Linear(4, 4).to(rank)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(2, 4, device=rank)).sum().backward()
optimizer.step()
if rank == 0:
    torch.save({{"model": model.state_dict(), "optimizer": optimizer.state_dict()}}, file)
dist.barrier()
assert torch.load(file)["model"]["weight"].device == torch.device("cuda:0")
moved = torch.load(file, map_location={{"cuda:0": f"cuda:{{rank}}"}})
assert moved["model"]["weight"].get_device() == rank
host = torch.load(file, map_location="cpu")
assert not host["model"]["weight"].is_cuda
new = nn.Linear(4, 4).to(rank)
new.load_state_dict(moved["model"])
torch.optim.Adam(new.parameters()).load_state_dict(moved["optimizer"])
weights = [torch.empty(4, 4, device="cuda") for _ in range(ranks)]
dist.all_gather(weights, new.weight.detach())
assert torch.equal(weights[0], weights[1])
import copy
assert copy.deepcopy(new).weight.is_cuda
""",
        ranks=2,
        group=True,
    )


def test_loaders_with_pinned_memory_samplers_and_workers(holds):
    holds(
        """
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
data = TensorDataset(torch.arange(32.0).view(32, 1), torch.arange(32))
sampler = DistributedSampler(data, shuffle=True, seed=3)
for workers in (0, 1):
    seen = []
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, batch_size=4, sampler=sampler, pin_memory=True, num_workers=workers):
            x, y = x.cuda(non_blocking=True), y.to(rank, non_blocking=True)
            assert x.is_cuda and torch.equal(x[:, 0].long(), y)
            seen += y.tolist()
    every = [None] * ranks
    dist.all_gather_object(every, seen)
    assert sorted(every[0][:16] + every[1][:16]) == list(range(32))
""",
        ranks=2,
        group=True,
    )


def test_activations_are_recomputed(holds):
    holds("""
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
layers = nn.ModuleList(nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Dropout(0.5), nn.Tanh()) for _ in range(4)).cuda()
layers.requires_grad_(False)
found = []
for again in (False, True):
    torch.manual_seed(1)
    x = torch.ones(128, 64, device="cuda", requires_grad=True)
    y = x
    for layer in layers:
        y = checkpoint(layer, y, use_reentrant=True) if again else layer(y)
    found.append(torch.cuda.memory_allocated())
    y.square().mean().backward()
    found.append(x.grad.clone())
assert torch.equal(found[1], found[3]) and found[2] < found[0], found
""")


TRAINS = """
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(rank)
for wrap in (lambda m: DDP(m, device_ids=[rank]), lambda m: FSDP(m, device_id=rank)):
    model = wrap(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)).cuda())
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(3):
        optimizer.zero_grad()
        model(torch.randn(16, 64, device="cuda")).square().mean().backward()
        optimizer.step()
"""


def test_the_timeline_is_the_same_in_every_run(answer):
    hashes = {answer(BEGIN + TRAINS, "--nproc", 4)["timeline_sha256"] for _ in range(4)}
    assert len(hashes) == 1


def test_ranks_that_the_script_spawns_meet(script):
    done = script(
        BEGIN
        + """
import torch.multiprocessing as mp


def work(rank, ranks, text):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="12355")
    dist.init_process_group("nccl", rank=rank, world_size=ranks)
    torch.cuda.set_device(rank)
    tensor = torch.ones(1, device=rank)
    dist.all_reduce(tensor)
    print(text, tensor.item())


if __name__ == "__main__":
    mp.spawn(work, args=(torch.cuda.device_count(), "sum"), nprocs=torch.cuda.device_count())
"""
    )
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^sum 8.0$", done.stdout, re.MULTILINE)) == 8


def test_an_optimizer_in_one_kernel_does_what_many_do(holds):
    holds("""
weights = []
for fused in (False, True):
    torch.manual_seed(1)
    layer = nn.Linear(5, 3).cuda()
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1, weight_decay=0.1, fused=fused)
    for _ in range(3):
        optimizer.zero_grad()
        layer(torch.ones(2, 5, device="cuda")).square().sum().backward()
        optimizer.step()
    weights.append(layer.weight.detach())
assert torch.allclose(*weights), weights
""")


def test_scripts_of_gloo_and_processes_with_two_gpus(script):
    done = script(
        BEGIN
        + """
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP


class Halves(nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second
        self.net1, self.net2 = nn.Linear(10, 10).to(first), nn.Linear(10, 5).to(second)

    def forward(self, x):
        return self.net2(F.relu(self.net1(x.to(self.first))).to(self.second))


def one(rank, ranks):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="12355")
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    model = DDP(nn.Linear(10, 5).to(rank), device_ids=[rank])
    model(torch.randn(20, 10)).square().mean().backward()
    dist.destroy_process_group()


def two(rank, ranks):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="12355")
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    model = DDP(Halves(2 * rank, 2 * rank + 1))
    out = model(torch.randn(20, 10))
    assert out.device == torch.device("cuda", 2 * rank + 1)
    out.square().mean().backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(one, args=(4,), nprocs=4)
    mp.spawn(two, args=(4,), nprocs=4)
"""
    )
    assert done.returncode == 0, done.stderr
