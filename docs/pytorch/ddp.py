"""Data parallel training: one model on every rank, a share of the samples each, gradients averaged while backward runs.

    torchrun --nproc_per_node 4 ddp.py [--epochs 3] [--batch 32]
"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def samples(count):
    """Points around ten centres; which centre is the class to learn."""
    generator = torch.Generator().manual_seed(1)
    centres = torch.randn(10, 64, generator=generator)
    labels = torch.randint(10, (count,), generator=generator)
    return TensorDataset(centres[labels] + 3 * torch.randn(count, 64, generator=generator), labels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32, help="samples of a rank in a step")
    options = parser.parse_args()

    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, world, local_rank = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")

    torch.manual_seed(rank)  # Unequal on purpose: DDP hands rank 0's weights to all.
    model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)).to(device)
    model = DDP(model, device_ids=[local_rank] if on_gpu else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    data = samples(1024)
    sampler = DistributedSampler(data, shuffle=True, seed=2)
    loader = DataLoader(data, batch_size=options.batch, sampler=sampler, pin_memory=on_gpu)

    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)  # Another order in every epoch; without this line, the same.
        print(f"epoch {epoch}, rank {rank}: samples {list(sampler)[:4]} and {len(sampler) - 4} more")
        started = time.perf_counter()
        total = torch.zeros(1, device=device)
        for inputs, labels in loader:
            inputs, labels = inputs.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            loss = nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()  # The gradients' all-reduces start in here, bucket by bucket.
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        if rank == 0:
            print(f"epoch {epoch}: loss {total.item() / len(loader) / world:.9g}")
            print(f"epoch {epoch}: {(time.perf_counter() - started) / len(loader) * 1e3:.3f} ms a step")

    # Each rank saw other samples; all of them hold the same weights, to the bit.
    weights = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    of_rank_0 = weights.clone()
    dist.broadcast(of_rank_0, src=0)
    assert torch.equal(weights, of_rank_0)
    if rank == 0:
        print(f"{weights.numel():,} weights {weights.double().sum().item():.9g} in sum, the same on every rank")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
