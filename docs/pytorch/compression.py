"""Gradient compression: DDP's communication hooks, two of PyTorch's and one of our own.

    torchrun --nproc_per_node 4 compression.py [--hook none fp16 topk powersgd] [--hidden 1024]
"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel as DDP


class TopKState:
    """How much of a bucket is sent, and by bucket what was kept back."""

    def __init__(self, share):
        self.share, self.kept = share, {}


def top_k_hook(state, bucket):
    """Sends the largest gradients of a bucket, as values and places. What it keeps back is added to the next step's."""
    gradient, world = bucket.buffer(), dist.get_world_size()
    kept = state.kept.get(bucket.index())
    if kept is not None and len(kept) == len(gradient):  # After the first step DDP makes its buckets anew.
        gradient = gradient + kept
    places = gradient.abs().topk(max(1, int(state.share * gradient.numel()))).indices
    values = gradient[places]
    state.kept[bucket.index()] = gradient.index_fill(0, places, 0)

    all_values = [torch.empty_like(values) for _ in range(world)]
    all_places = [torch.empty_like(places) for _ in range(world)]
    dist.all_gather(all_places, places)
    gathered = dist.all_gather(all_values, values, async_op=True)

    def spread(future):
        total = torch.zeros_like(gradient)
        for where, what in zip(all_places, all_values):
            total.index_add_(0, where, what)
        return total / world

    return gathered.get_future().then(spread)


def use(model, hook):
    """Registers the hook, before the first step."""
    if hook == "fp16":
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    elif hook == "topk":
        model.register_comm_hook(TopKState(share=0.01), top_k_hook)
    elif hook == "powersgd":
        state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=4, start_powerSGD_iter=2)
        model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)


def train(options, device, hook):
    """Losses of the steps, and the seconds of the fastest of the last ones."""
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    width = options.hidden
    model = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
    model = DDP(model.to(device), device_ids=[device.index] if device.type == "cuda" else None)
    use(model, hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    generator = torch.Generator().manual_seed(1)
    teacher = torch.randn(64, generator=generator).to(device) / 8
    losses, times = [], []
    for _ in range(options.steps):
        inputs = torch.randn(world, options.batch, 64, generator=generator)[rank].to(device)
        started = time.perf_counter()
        loss = (model(inputs).squeeze(1) - (inputs @ teacher).tanh()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach() / world
        dist.all_reduce(mean)
        losses.append(mean.item())
        times.append(time.perf_counter() - started)
    return losses, min(times[len(times) // 2:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hook", nargs="+", choices=["none", "fp16", "topk", "powersgd"],
                        default=["none", "fp16", "topk", "powersgd"])
    parser.add_argument("--hidden", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=5)
    options = parser.parse_args()

    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    local_rank = int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")

    for hook in options.hook:
        losses, seconds = train(options, device, hook)
        if dist.get_rank() == 0:
            print(f"{hook:9} first loss {losses[0]:.9g}, last loss {losses[-1]:.9g}")
            print(f"{hook:9} {seconds * 1e3:.3f} ms a step")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
