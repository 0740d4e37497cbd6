"""Work on a script's own CUDA stream runs concurrently with computing, after what that stream waits for."""

SCRIPT = """
import time, torch, torch.distributed as dist
dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank())
a = torch.ones(512, 512, device="cuda")
shard = torch.ones(1 << 20, device="cuda")
low = torch.empty(1 << 20, dtype=torch.bfloat16, device="cuda")
whole = torch.empty(2 << 20, dtype=torch.bfloat16, device="cuda")
main, side = torch.cuda.current_stream(), torch.cuda.Stream()
side.wait_stream(main)


def took(where, casts):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(50):
        a @ a
    if where is not None:
        with torch.cuda.stream(where):
            if casts:
                low.copy_(shard)
            dist.all_gather_into_tensor(whole, low)
    main.wait_stream(side)
    a.sum()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


found = [took(*run) for run in ((None, False), (main, False), (side, False), (main, True), (side, True))]
if dist.get_rank() == 0:
    print(*found)
"""


def test_a_collective_on_a_side_stream_runs_beside_the_kernels_launched_before_it(printed):
    # With launches that take no time, only the GPU's time is left.
    [line] = printed(SCRIPT, "--nproc", 2, "--launch-microseconds", 0, "--hollow")
    alone, after, beside, cast_after, cast_beside = map(float, line.split())
    gathering = after - alone
    assert gathering > 10e-6
    assert alone * (1 - 1e-9) <= beside < alone + gathering / 4
    assert cast_after > after
    # The same holds for tensors that the stream itself has cast before.
    assert alone * (1 - 1e-9) <= cast_beside < alone + (cast_after - alone) / 4


def test_collectives_of_a_group_on_several_streams_run_in_the_order_of_their_calls(printed):
    # On rank 0 the first collective's stream is busy for long; the second's is free on both ranks.
    text = """
        import torch, torch.distributed as dist
        dist.init_process_group("nccl")
        rank = dist.get_rank()
        torch.cuda.set_device(rank)
        gathering, reducing = torch.cuda.Stream(), torch.cuda.Stream()
        a = torch.ones(1024, 1024, device="cuda")
        mine, whole = torch.full((4,), float(rank), device="cuda"), torch.empty(8, device="cuda")
        ones, part = torch.ones(8, device="cuda"), torch.empty(4, device="cuda")
        torch.cuda.synchronize()
        ends = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        with torch.cuda.stream(gathering):
            if rank == 0:
                a @ a
            dist.all_gather_into_tensor(whole, mine)
            ends[0].record()
        with torch.cuda.stream(reducing):
            dist.reduce_scatter_tensor(part, ones)
            ends[1].record()
        torch.cuda.synchronize()
        print(rank, whole.tolist(), part.tolist(), ends[0].elapsed_time(ends[1]) > 0)
    """
    whole = [0.0] * 4 + [1.0] * 4
    assert printed(text, "--nproc", 2) == [f"{rank} {whole} {[2.0] * 4} True" for rank in range(2)]
