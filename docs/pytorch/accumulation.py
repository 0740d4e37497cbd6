"""Gradient accumulation: four micro-batches to a step, and the gradients averaged once instead of four times.

    torchrun --nproc_per_node 4 accumulation.py [--micro-batches 4] [--hidden 1024]
"""

import argparse
import contextlib
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def train(options, device, once):
    """Three steps. `once`: gradients stay on their rank until the step's last micro-batch. Returns losses, seconds, weights."""
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    width = options.hidden
    model = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
    model = DDP(model.to(device), device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    generator = torch.Generator().manual_seed(1)
    losses, times = [], []
    for step in range(3):
        batch = torch.randn(world, options.micro_batches, options.batch, width, generator=generator)[rank].to(device)
        started = time.perf_counter()
        total = torch.zeros(1, device=device)
        for index, inputs in enumerate(batch):
            last = index == options.micro_batches - 1
            with model.no_sync() if once and not last else contextlib.nullcontext():
                # The mean over the step's samples is the sum of the micro-batches' means over their number.
                loss = (model(inputs).squeeze(1) - inputs.mean(1)).square().mean() / options.micro_batches
                loss.backward()
            total += loss.detach()
        optimizer.step()
        optimizer.zero_grad()
        dist.all_reduce(total)
        losses.append(total.item() / world)  # item() waits for the GPU.
        times.append(time.perf_counter() - started)
    return losses, min(times), nn.utils.parameters_to_vector(model.parameters()).detach()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--micro-batches", type=int, default=4)
    parser.add_argument("--batch", type=int, default=16, help="samples of a rank in a micro-batch")
    parser.add_argument("--hidden", type=int, default=1024)
    options = parser.parse_args()

    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    local_rank = int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")

    every, of_every, weights_of_every = train(options, device, once=False)
    once, of_once, weights_of_once = train(options, device, once=True)
    # Sums in another order are other sums, in the last digits.
    furthest = (weights_of_every - weights_of_once).abs().max().item()
    assert furthest < 1e-6, f"weights that are {furthest} apart"
    if dist.get_rank() == 0:
        for step, (loss, same) in enumerate(zip(every, once)):
            print(f"step {step}: averaged every time loss {loss:.9g}, averaged once loss {same:.9g}")
        samples = dist.get_world_size() * options.batch * options.micro_batches
        print(f"{samples} samples a step: {of_every * 1e3:.3f} ms averaged every time, {of_once * 1e3:.3f} ms averaged once")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
