"""A model split over devices: a stage of its blocks on each rank, activations sent on, gradients sent back.

    torchrun --nproc_per_node 2 model_split.py [--micro-batches 4]

With one micro-batch a single device works at a time; more of them fill the pipeline.
"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def make_stage(rank, world, blocks, width):
    """This rank's blocks. Each block has a seed of its own, so that the model is the same however it is cut."""
    first, last = rank * blocks // world, (rank + 1) * blocks // world
    layers = []
    for index in range(first, last):
        torch.manual_seed(index)
        layers.append(Block(width))
    return nn.Sequential(*layers)


def step(stage, inputs, targets, micro_batches, device):
    """GPipe: all micro-batches forward, then all of them backward. The last rank returns the loss, others 0."""
    rank, world = dist.get_rank(), dist.get_world_size()
    shape = inputs.chunk(micro_batches)[0].shape
    came, left, sends, total = [], [], [], torch.zeros(1, device=device)
    for micro_inputs, micro_targets in zip(inputs.chunk(micro_batches), targets.chunk(micro_batches)):
        if rank == 0:
            x = micro_inputs
        else:
            x = torch.empty(shape, device=device)
            dist.recv(x, rank - 1)
            x.requires_grad_()
        y = stage(x)
        if rank == world - 1:
            y = nn.functional.mse_loss(y, micro_targets) / micro_batches
            total += y.detach()
        else:
            sends.append(dist.isend(y.detach(), rank + 1))
        came.append(x)
        left.append(y)
    for x, y in zip(came, left):
        if rank == world - 1:
            y.backward()
        else:
            gradient = torch.empty_like(y)
            dist.recv(gradient, rank + 1)
            y.backward(gradient)
        if rank > 0:
            sends.append(dist.isend(x.grad, rank - 1))
    for sent in sends:
        sent.wait()
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--micro-batches", type=int, default=4)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()

    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, world, local_rank = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")

    stage = make_stage(rank, world, options.blocks, options.width).to(device)
    optimizer = torch.optim.SGD(stage.parameters(), lr=0.05)
    generator = torch.Generator().manual_seed(99)
    times = []
    for index in range(4):
        inputs = torch.randn(options.batch, options.width, generator=generator).to(device)
        started = time.perf_counter()
        loss = step(stage, inputs, inputs.roll(1, dims=1), options.micro_batches, device)
        optimizer.step()
        optimizer.zero_grad()
        dist.broadcast(loss, src=world - 1)
        value = loss.item()
        times.append(time.perf_counter() - started)
        if rank == 0:
            print(f"step {index}: loss {value:.9g}")
    if rank == 0:
        m = options.micro_batches
        print(f"{world} stages, {m} micro-batches: {min(times) * 1e3:.3f} ms a step; a bubble of {(world - 1) / (world - 1 + m):.1%}"
              " if nothing but the pipeline made a stage wait")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
