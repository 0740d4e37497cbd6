"""The caching allocator follows CUDA's rules at default settings, checked by numbers derived from them."""

BEGIN = """
    import torch
    KiB, MiB = 1 << 10, 1 << 20

    def take(size):
        return torch.empty(size, dtype=torch.uint8, device="cuda")

    def now(name):
        return torch.cuda.memory_stats().get(f"{name}.current", 0)

    def taken(sizes):
        '''What each of these takes of the memory that was given out.'''
        kept, found = [], []
        for size in sizes:
            before = torch.cuda.memory_allocated()
            kept.append(take(size))
            found.append(torch.cuda.memory_allocated() - before)
        return found

    def again():
        torch.cuda.empty_cache()
        assert (torch.cuda.memory_allocated(), torch.cuda.memory_reserved()) == (0, 0)
"""


def test_it_has_the_rules_of_pytorchs_own(script):
    done = script(
        BEGIN
        + """
    # Sizes are rounded up to 512 B; an empty tensor takes nothing.
    assert taken([1, 512, 513, 1000, MiB, 0]) == [512, 512, 1024, 1024, MiB, 0]
    again()

    # A segment is 2 MiB, 20 MiB, or the request's own.
    for asked, reserved in ((1, 2), (MiB, 2), (MiB + 1, 20), (10 * MiB - 512, 20), (10 * MiB, 10), (10 * MiB + 1, 12), (33 * MiB, 34)):
        kept = take(asked)
        assert torch.cuda.memory_reserved() == reserved * MiB, asked
        del kept
        again()

    # Two requests of 1 MiB share a segment, and a third has another.
    kept = [take(MiB) for _ in range(3)]
    assert torch.cuda.memory_reserved() == 4 * MiB
    del kept
    again()

    # A large block is split where more than 1 MiB remains.
    whole = take(34 * MiB)
    del whole
    kept = take(33 * MiB)
    assert torch.cuda.memory_allocated() == 34 * MiB
    assert now("requested_bytes.large_pool") == 33 * MiB
    del kept
    kept = take(33 * MiB - 512)
    assert torch.cuda.memory_allocated() == 33 * MiB - 512
    del kept
    again()

    # Free neighbours merge into one block; emptying the cache releases only segments that are entirely free.
    kept = [take(5 * MiB) for _ in range(4)]
    assert torch.cuda.memory_reserved() == 20 * MiB
    del kept[1:3]
    kept.append(take(10 * MiB - 512))
    assert torch.cuda.memory_reserved() == 20 * MiB
    del kept[:2]
    torch.cuda.empty_cache()
    assert now("reserved_bytes.all") == 20 * MiB

    # Streams do not share blocks.
    kept.clear()
    again()
    kept = take(MiB)
    del kept
    with torch.cuda.stream(torch.cuda.Stream()):
        kept = take(MiB)
    assert torch.cuda.memory_reserved() == 4 * MiB
    del kept
    again()

    # Peaks restart from what is held at the reset.
    kept = take(3 * MiB), take(4 * MiB)
    kept = kept[:1]
    assert torch.cuda.max_memory_allocated() >= 7 * MiB
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() == 3 * MiB
""",
        "--nproc",
        1,
    )
    assert done.returncode == 0, done.stderr


def test_a_full_gpu_gives_its_cache_back_before_it_fails(script):
    done = script(
        BEGIN
        + """
    GiB = 1 << 30
    kept = [take(8 * GiB) for _ in range(9)]
    kept.clear()
    kept = [take(9 * GiB) for _ in range(8)]
    assert torch.cuda.memory_allocated() == 72 * GiB
    kept.clear()
    assert torch.cuda.memory_stats()["num_alloc_retries"] > 0
    kept = [take(8 * GiB) for _ in range(10)]
""",
        "--nproc",
        1,
    )
    assert done.returncode == 4
    first, *places = done.stderr.splitlines()
    assert "rank 0 (pid " in first
    assert "OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 79.10 GiB" in first
    assert any(place.endswith("in <module>: kept = [take(8 * GiB) for _ in range(10)]") for place in places)
