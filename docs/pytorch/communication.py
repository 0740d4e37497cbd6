"""Prints the time of a collective for growing sizes, in the table of nccl-tests.

    torchrun --nproc_per_node 8 communication.py [--op all_gather] [--largest 10000000]
"""

import argparse
import os
import time

import torch
import torch.distributed as dist


def all_reduce(numbers, gathered):
    dist.all_reduce(numbers)


def broadcast(numbers, gathered):
    dist.broadcast(numbers, src=0)


def all_gather(numbers, gathered):
    dist.all_gather(gathered, numbers[: gathered[0].numel()])


# The busiest link of n ranks carries this share of the bytes; algorithm bandwidth times it can be held against the wire's.
OPERATIONS = {
    "all_reduce": (all_reduce, lambda n: 2 * (n - 1) / n),
    "all_gather": (all_gather, lambda n: (n - 1) / n),
    "broadcast": (broadcast, lambda n: 1),
}


def seconds(operation, on_gpu, repeats):
    """The mean time of one: by the host's clock, and as the GPU saw it."""
    for _ in range(2):  # The first ones set up connections.
        operation()
    if on_gpu:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
    started = time.perf_counter()
    for _ in range(repeats):
        operation()
    if on_gpu:
        end.record()
        torch.cuda.synchronize()  # Without it the host's clock would show the time of the launches alone.
    host = (time.perf_counter() - started) / repeats
    return host, begin.elapsed_time(end) / 1e3 / repeats if on_gpu else host


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--op", choices=OPERATIONS, default="all_reduce")
    parser.add_argument("--largest", type=int, default=10_000_000, help="floats")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()

    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, world, local_rank = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")
    call, share = OPERATIONS[options.op]

    if rank == 0:
        print(f"{options.op} of {world} ranks")
        print(f"{'floats':>10}  {'bytes':>10}  {'host us':>10}  {'GPU us':>10}  {'algbw GB/s':>10}  {'busbw GB/s':>10}")
    count = 1000
    while count <= options.largest:
        numbers = torch.zeros(count, device=device)
        gathered = [torch.zeros(count // world, device=device) for _ in range(world)]
        host, gpu = seconds(lambda: call(numbers, gathered), on_gpu, options.repeats)
        if rank == 0:
            bandwidth = 4 * count / gpu / 1e9
            print(f"{count:10}  {4 * count:10}  {host * 1e6:10.1f}  {gpu * 1e6:10.1f}  {bandwidth:10.3f}"
                  f"  {bandwidth * share(world):10.3f}")
        count *= 10

    # The received data is right, too.
    numbers = torch.arange(1000.0, device=device) + rank
    dist.all_reduce(numbers)
    if rank == 0:
        print(f"sum {numbers.sum().item():.9g}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
