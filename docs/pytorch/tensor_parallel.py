"""Tensor parallelism by hand: a transformer block whose heads and hidden columns lie on different ranks, as in Megatron-LM.

    torchrun --nproc_per_node 4 tensor_parallel.py [--width 256] [--heads 8]

It trains the same block whole on every rank as well, and their losses agree.
"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn


class Enter(torch.autograd.Function):
    """Into what is split: every rank reads all of x, so the gradients of x that the ranks find add up."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient, group=ctx.group)
        return gradient, None


class Leave(torch.autograd.Function):
    """Out of what is split: the ranks' partial results add up, and each gets the gradient of the sum."""

    @staticmethod
    def forward(ctx, x, group):
        x = x.contiguous()
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


def whole_weight(outputs, inputs, seed):
    """The weight of the undivided layer: every rank makes it, and keeps its part."""
    return torch.randn(outputs, inputs, generator=torch.Generator().manual_seed(seed)) / inputs**0.5


class ColumnLinear(nn.Module):
    """x @ W.T, of which this rank has some of the outputs. `pieces`: matrices that lie in W one below the other."""

    def __init__(self, inputs, outputs, seed, rank, parts, pieces=1):
        super().__init__()
        of_each = whole_weight(pieces * outputs, inputs, seed).chunk(pieces)
        self.weight = nn.Parameter(torch.cat([matrix.chunk(parts)[rank] for matrix in of_each]))

    def forward(self, x):
        return nn.functional.linear(x, self.weight)


class RowLinear(nn.Module):
    """x @ W.T, of which this rank has some of the inputs: its product is a part of the sum."""

    def __init__(self, inputs, outputs, seed, rank, parts):
        super().__init__()
        self.weight = nn.Parameter(whole_weight(outputs, inputs, seed).chunk(parts, dim=1)[rank].contiguous())

    def forward(self, x):
        return nn.functional.linear(x, self.weight)


class Block(nn.Module):
    """Attention and MLP behind LayerNorm. `group`: the ranks that share it; None: it is whole."""

    def __init__(self, width, heads, seed, group=None):
        super().__init__()
        self.group = group
        rank, parts = (dist.get_rank(group), dist.get_world_size(group)) if group else (0, 1)
        self.heads = heads // parts
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv = ColumnLinear(width, width, seed, rank, parts, pieces=3)
        self.project = RowLinear(width, width, seed + 1, rank, parts)
        self.up = ColumnLinear(width, 4 * width, seed + 2, rank, parts)
        self.down = RowLinear(4 * width, width, seed + 3, rank, parts)

    def split(self, x, part):
        """`part`, between the two communications of what is split."""
        if self.group is None:
            return part(x)
        return Leave.apply(part(Enter.apply(x, self.group)), self.group)

    def attention(self, x):
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.qkv(x).chunk(3, dim=-1))
        weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(dim=-1)
        return self.project((weights @ v).transpose(1, 2).flatten(2))

    def mlp(self, x):
        return self.down(nn.functional.gelu(self.up(x)))

    def forward(self, x):
        x = x + self.split(self.norms[0](x), self.attention)
        return x + self.split(self.norms[1](x), self.mlp)


def train(model, options, device):
    """The losses of three steps, and the seconds of the fastest."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    generator = torch.Generator().manual_seed(7)
    losses, times = [], []
    for _ in range(3):
        x = torch.randn(options.batch, options.tokens, options.width, generator=generator).to(device)
        started = time.perf_counter()
        loss = nn.functional.mse_loss(model(x), x.roll(1, dims=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        times.append(time.perf_counter() - started)
    return losses, min(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=2)
    options = parser.parse_args()

    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    local_rank = int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")

    results = []
    for group in (dist.group.WORLD, None):
        blocks = [Block(options.width, options.heads, 10 * index, group) for index in range(options.blocks)]
        results.append(train(nn.Sequential(*blocks).to(device), options, device))
    (split, of_split), (whole, of_whole) = results
    if dist.get_rank() == 0:
        for step, (one, other) in enumerate(zip(split, whole)):
            print(f"step {step}: split loss {one:.9g}, whole loss {other:.9g}")
            assert abs(one - other) < 1e-5
        print(f"{of_split * 1e3:.3f} ms a step split over {dist.get_world_size()} ranks, {of_whole * 1e3:.3f} ms whole")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
