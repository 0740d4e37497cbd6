"""Scripts give the same losses as in real processes over gloo: bit for bit on 2 ranks."""

import pytest

BEGIN = """import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

here = torch.cuda.is_available()
rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
if here:
    dist.init_process_group("nccl")
else:
    dist.init_process_group("gloo")
device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if here else torch.device("cpu")
device_ids = [device.index] if here else None
torch.manual_seed(7)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / (c // self.heads) ** 0.5
        mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        y = scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self, words=40, width=32, layers=2, context=16):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, 4) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, text):
        x = self.words(text) + self.places(torch.arange(text.shape[1], device=text.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def batch(step):
    generator = torch.Generator().manual_seed(100 * step + rank)
    text = torch.randint(0, 40, (4, 17), generator=generator).to(device)
    return text[:, :-1], text[:, 1:]


def loss_of(model, step):
    text, wanted = batch(step)
    return F.cross_entropy(model(text).flatten(0, 1), wanted.flatten())


def say(step, loss):
    sys.stderr.write(f"loss {rank} {step} {loss.item().hex()}\\n")


def train(model, optimizer, steps=4):
    for step in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model, step)
        loss.backward()
        optimizer.step()
        say(step, loss)
"""

def losses(text):
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 4 and words[0] == "loss":
            found[int(words[1]), int(words[2])] = float.fromhex(words[3])
    return found


@pytest.fixture
def under_gloo(real_ranks, tmp_path):
    """A script and a number of ranks -> its losses in real processes."""

    def run(text, ranks):
        file = tmp_path / "gloo.py"
        file.write_text(BEGIN + text)
        done = real_ranks(tmp_path, ["--nproc-per-node", ranks, file])
        assert done.returncode == 0, done.stderr
        return losses(done.stderr)

    return run


@pytest.fixture
def here(script):
    """A script and a number of ranks -> its losses in simulated time."""

    def run(text, ranks):
        done = script(BEGIN + text, "--nproc", ranks)
        assert done.returncode == 0, done.stderr
        found = losses(done.stderr)
        assert len(found) >= ranks, done.stderr
        return found

    return run


@pytest.fixture
def same(here, under_gloo):
    """The rest of a script gives the same losses in simulated time as over gloo."""

    def run(text, ranks=2):
        assert here(text, ranks) == under_gloo(text, ranks)

    return run


def test_a_gpt_under_ddp_on_2_ranks(same):
    same("""
model = DDP(GPT().to(device), device_ids=device_ids)
train(model, torch.optim.AdamW(model.parameters(), lr=1e-3))
""")


def test_a_gpt_under_ddp_on_4_ranks_within_a_millionth(here, under_gloo):
    text = """
model = DDP(GPT().to(device), device_ids=device_ids)
train(model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
"""
    found, wanted = here(text, 4), under_gloo(text, 4)
    assert found.keys() == wanted.keys()
    for key in wanted:
        assert found[key] == pytest.approx(wanted[key], rel=1e-6)


def test_gradients_are_accumulated_and_views_of_buckets_and_unused_parameters_found(same):
    same("""
class Either(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.unused = GPT(), GPT(), nn.Linear(3, 3)

    def forward(self, text):
        return self.first(text) if rank == 0 else self.second(text)


model = DDP(Either().to(device), device_ids=device_ids, find_unused_parameters=True, gradient_as_bucket_view=True)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    optimizer.zero_grad()
    with model.no_sync():
        (loss_of(model, 10 * step) / 2).backward()
    loss = loss_of(model, 10 * step + 1)
    (loss / 2).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    say(step, loss)
""")


def test_communication_hooks_of_pytorch_and_of_the_script(same):
    same("""
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook


def own(state, bucket):
    tensor = bucket.buffer().div_(ranks)
    return dist.all_reduce(tensor, async_op=True).get_future().then(lambda done: done.value()[0] * 1.0)


states = {
    "allreduce": (None, default_hooks.allreduce_hook),
    "fp16": (None, default_hooks.fp16_compress_hook),
    "powerSGD": (powerSGD_hook.PowerSGDState(None, 1, start_powerSGD_iter=2), powerSGD_hook.powerSGD_hook),
    "own": (None, own),
}
for number, (state, hook) in enumerate(states.values()):
    torch.manual_seed(7)
    model = DDP(GPT().to(device), device_ids=device_ids)
    model.register_comm_hook(state, hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        loss = loss_of(model, step)
        loss.backward()
        optimizer.step()
        say(10 * number + step, loss)
""")


def test_a_pipeline_of_two_stages_and_tensor_parallel_layers_by_hand(same):
    same("""
class Copy(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x

    @staticmethod
    def backward(context, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient)
        return gradient


class Reduce(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(context, gradient):
        return gradient


up, down = nn.Linear(16, 32 // ranks).to(device), nn.Linear(32 // ranks, 16).to(device)
optimizer = torch.optim.SGD([*up.parameters(), *down.parameters()], lr=0.1)
for step in range(3):
    x = torch.randn(8, 16, generator=torch.Generator().manual_seed(step)).to(device)
    loss = Reduce.apply(down(F.relu(up(Copy.apply(x))))).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    say(step, loss)

stage = nn.Linear(16, 16).to(device)
optimizer = torch.optim.SGD(stage.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    total = torch.zeros((), device=device)
    for micro in range(4):
        if rank == 0:
            y = stage(torch.randn(8, 16, generator=torch.Generator().manual_seed(10 * step + micro)).to(device))
            dist.send(y.detach(), 1)
            gradient = torch.empty_like(y)
            dist.recv(gradient, 1)
            y.backward(gradient)
        else:
            x = torch.empty(8, 16, device=device)
            dist.irecv(x, 0).wait()
            x.requires_grad_()
            loss = stage(x).square().mean()
            loss.backward()
            dist.isend(x.grad, 0).wait()
            total += loss.detach()
    optimizer.step()
    say(100 + step, total)
""")


def test_fsdp_gives_the_losses_of_ddp_under_gloo(here, under_gloo):
    text = """
model = GPT().to(device)
if here:
    import functools

    torch.cuda.set_device(device)
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    model = FSDP(model, auto_wrap_policy=policy, device_id=torch.cuda.current_device())
else:
    model = DDP(model)
train(model, torch.optim.SGD(model.parameters(), lr=0.1))
"""
    assert here(text, 2) == under_gloo(text, 2)
