"""Scaling: the same DDP step on 1, 2, 4, ... of the ranks, its samples per second, speedup and efficiency.

    torchrun --nproc_per_node 8 scaling.py --mode strong|weak [--batch 256] [--width 1024] [--layers 4]

strong: --batch samples in all, shared by the ranks. weak: --batch samples for each rank.
"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def measure(options, device, group, ranks):
    """The loss after three steps, and the seconds of the fastest one, of the first `ranks` ranks."""
    torch.manual_seed(0)
    layers = [nn.Linear(options.width, options.width) for _ in range(options.layers)]
    model = nn.Sequential(*[part for layer in layers for part in (layer, nn.ReLU())]).to(device)
    model = DDP(model, device_ids=[device.index] if device.type == "cuda" else None, process_group=group)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    samples = options.batch // ranks if options.mode == "strong" else options.batch
    generator = torch.Generator().manual_seed(dist.get_rank())
    times = []
    for _ in range(options.steps):
        inputs = torch.randn(samples, options.width, generator=generator).to(device)
        started = time.perf_counter()
        loss = (model(inputs) - inputs).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach() / ranks
        dist.all_reduce(mean, group=group)
        value = mean.item()
        times.append(time.perf_counter() - started)
    return value, min(times), samples * ranks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=["strong", "weak"], default="strong")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()

    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, world, local_rank = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")

    if rank == 0:
        print(f"{options.mode} scaling, {options.layers} layers of {options.width} x {options.width}")
        print(f"{'ranks':>5}  {'samples':>8}  {'ms a step':>10}  {'samples/s':>10}  {'speedup':>8}  {'efficiency':>10}")
    ranks, alone = 1, None
    while ranks <= world:
        group = dist.new_group(list(range(ranks)))  # All ranks take part in making a group, its members or not.
        if rank < ranks:
            loss, seconds, samples = measure(options, device, group, ranks)
            speed = samples / seconds
            alone = alone or speed
            if rank == 0:
                print(f"{ranks:5}  {samples:8}  {seconds * 1e3:10.3f}  {speed:10.0f}  {speed / alone:7.2f}x"
                      f"  {speed / alone / ranks:10.1%}   loss {loss:.9g}")
        dist.barrier()
        ranks *= 2
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
