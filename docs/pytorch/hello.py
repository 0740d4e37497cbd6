"""Every rank brings its number, and all of them add up.

    torchrun --nproc_per_node 4 hello.py
"""

import os

import torch
import torch.distributed as dist


def main():
    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    local_rank = int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")
    print(f"rank {rank} of {world}: local rank {local_rank}, process {os.getpid()}")

    # Each of four numbers becomes 0 + 1 + ... + (world - 1), on every rank.
    numbers = torch.ones(4, device=device) * rank
    dist.all_reduce(numbers)
    assert torch.equal(numbers, torch.full_like(numbers, world * (world - 1) / 2))

    # Rank 0's numbers reach all others.
    word = torch.arange(3.0, device=device) if rank == 0 else torch.zeros(3, device=device)
    dist.broadcast(word, src=0)
    assert word.tolist() == [0, 1, 2]

    # All hold the numbers of all, in the order of ranks.
    everyone = [torch.zeros(1, device=device) for _ in range(world)]
    dist.all_gather(everyone, torch.full((1,), float(rank * rank), device=device))
    assert torch.cat(everyone).tolist() == [float(r * r) for r in range(world)]

    # A ring of messages: to the right, from the left. The even ranks send first, or all would wait.
    right, left = (rank + 1) % world, (rank - 1) % world
    mine, theirs = torch.full((1,), float(rank), device=device), torch.zeros(1, device=device)
    if rank % 2 == 0:
        dist.send(mine, right)
        dist.recv(theirs, left)
    else:
        dist.recv(theirs, left)
        dist.send(mine, right)
    assert theirs.item() == left

    dist.barrier()
    if rank == 0:
        print(f"sum {numbers[0].item():g} of the numbers, sum {torch.cat(everyone).sum().item():g} of their squares")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
