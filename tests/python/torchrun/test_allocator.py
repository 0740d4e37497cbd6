"""The caching allocator's rules, by numbers that follow from them."""

import random

import pytest
import torch

from ndsim.torchrun.memory.allocator import Allocator
from ndsim.torchrun.memory.expandable import expands
from ndsim.torchrun.memory.totals import Totals
from ndsim.torchrun.memory.out_of_memory import out_of_memory

KiB = 1 << 10
MiB = 1 << 20


def test_sizes_are_rounded_up_to_512_bytes():
    allocator = Allocator()
    sizes = [allocator.allocate(size).size for size in (1, 512, 513, 1000, MiB)]
    assert sizes == [512, 512, 1024, 1024, MiB]
    assert allocator.allocated == 512 + 512 + 1024 + 1024 + MiB


def test_nothing_takes_nothing():
    allocator = Allocator()
    allocator.free(allocator.allocate(0))
    assert (allocator.allocated, allocator.reserved, allocator.statistics()["allocation.all.allocated"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("asked", "reserved"),
    [
        (1, 2 * MiB),
        (MiB, 2 * MiB),
        (MiB + 1, 20 * MiB),
        (10 * MiB - 512, 20 * MiB),
        (10 * MiB, 10 * MiB),
        (10 * MiB + 1, 12 * MiB),
        (33 * MiB, 34 * MiB),
    ],
)
def test_a_segment_is_2_MiB_or_20_MiB_or_the_requests_own(asked, reserved):
    allocator = Allocator()
    allocator.allocate(asked)
    assert allocator.reserved == reserved


def test_two_requests_of_1_MiB_share_a_segment_and_a_third_has_another():
    allocator = Allocator()
    blocks = [allocator.allocate(MiB) for _ in range(3)]
    assert blocks[1].address == blocks[0].address + MiB
    assert allocator.reserved == 4 * MiB


def test_a_small_block_is_split_where_512_bytes_remain_and_a_large_one_above_1_MiB():
    allocator = Allocator()
    assert allocator.allocate(2 * MiB - 512 - MiB).size == MiB - 512  # of a small segment
    whole = allocator.allocate(34 * MiB)
    allocator.free(whole)
    kept = allocator.allocate(33 * MiB)  # 1 MiB would remain: not above
    assert kept.size == 34 * MiB
    assert allocator.statistics()["requested_bytes.large_pool.current"] == 33 * MiB
    allocator.free(kept)
    assert allocator.allocate(33 * MiB - 512).size == 33 * MiB - 512


def test_the_smallest_block_that_fits_is_taken_and_of_equal_ones_that_of_the_lowest_address():
    allocator = Allocator()
    blocks = [allocator.allocate(size * MiB) for size in (40, 20, 30, 20)]
    for block in blocks:
        allocator.free(block)
    assert allocator.allocate(20 * MiB).address == blocks[1].address
    assert allocator.allocate(19 * MiB).address == blocks[3].address
    assert allocator.allocate(19 * MiB).address == blocks[2].address


def test_free_neighbours_become_one_block():
    allocator = Allocator()
    parts = [allocator.allocate(6 * MiB) for _ in range(3)]  # 18 of 20 MiB
    allocator.free(parts[0])
    allocator.free(parts[2])  # with the 2 MiB that were left
    assert [(block.size // MiB, block.is_free) for block in next(allocator.blocks())] == [
        (6, True),
        (6, False),
        (8, True),
    ]
    allocator.free(parts[1])
    assert [block.size for block in next(allocator.blocks())] == [20 * MiB]
    assert allocator.reserved == 20 * MiB


def test_only_segments_that_are_free_as_a_whole_leave_with_empty_cache():
    allocator = Allocator()
    kept, freed = allocator.allocate(2 * MiB), allocator.allocate(2 * MiB)
    alone = allocator.allocate(64 * MiB)
    allocator.free(freed)
    allocator.free(alone)
    assert allocator.reserved == 84 * MiB
    allocator.empty_cache()
    assert allocator.reserved == 20 * MiB
    allocator.free(kept)
    allocator.empty_cache()
    assert allocator.reserved == 0


def test_streams_do_not_share_blocks():
    allocator = Allocator()
    allocator.free(allocator.allocate(64 * MiB))
    allocator.free(allocator.allocate(64 * MiB, stream=1))
    assert allocator.reserved == 128 * MiB
    allocator.allocate(64 * MiB, stream=1)
    assert allocator.reserved == 128 * MiB


def test_a_full_gpu_gives_its_cache_back_before_it_fails():
    allocator = Allocator(capacity=100 * MiB)
    allocator.free(allocator.allocate(60 * MiB))
    allocator.allocate(80 * MiB)
    statistics = allocator.statistics()
    assert (statistics["num_alloc_retries"], statistics["num_ooms"], allocator.reserved) == (1, 0, 80 * MiB)
    error = getattr(torch.cuda, "OutOfMemoryError", RuntimeError)
    with pytest.raises(error, match=r"CUDA out of memory. Tried to allocate 30.00 MiB"):
        allocator.allocate(30 * MiB)
    statistics = allocator.statistics()
    assert (statistics["num_alloc_retries"], statistics["num_ooms"], allocator.allocated) == (2, 1, 80 * MiB)
    allocator.allocate(20 * MiB)


def test_the_error_is_worded_as_that_of_each_torch():
    totals = Totals()
    totals.take_segment(60 * MiB)
    totals.take(40 * MiB, 40 * MiB)
    assert str(out_of_memory(0, 50 * MiB, 2 << 30, totals, "1.13.0")) == (
        "CUDA out of memory. Tried to allocate 50.00 MiB (GPU 0; 2.00 GiB total capacity; 40.00 MiB already allocated; "
        "1.94 GiB free; 60.00 MiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting "
        "max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    )
    assert str(out_of_memory(3, 50 * MiB, 2 << 30, totals, "2.4.0")).startswith(
        "CUDA out of memory. Tried to allocate 50.00 MiB. GPU 3 has a total capacity of 2.00 GiB of which 1.94 GiB is "
        "free. Including non-PyTorch memory, this process has 60.00 MiB memory in use. Of the allocated memory 40.00 MiB "
        "is allocated by PyTorch, and 20.00 MiB is reserved by PyTorch but unallocated."
    )


def test_statistics_have_the_names_of_torch():
    allocator = Allocator()
    first = allocator.allocate(300 * KiB)
    allocator.allocate(3 * MiB)
    allocator.free(first)
    found = allocator.statistics()
    assert {name: found[name] for name in found if name.startswith("allocated_bytes.")} == {
        "allocated_bytes.all.allocated": 300 * KiB + 3 * MiB,
        "allocated_bytes.all.current": 3 * MiB,
        "allocated_bytes.all.freed": 300 * KiB,
        "allocated_bytes.all.peak": 300 * KiB + 3 * MiB,
        "allocated_bytes.large_pool.allocated": 3 * MiB,
        "allocated_bytes.large_pool.current": 3 * MiB,
        "allocated_bytes.large_pool.freed": 0,
        "allocated_bytes.large_pool.peak": 3 * MiB,
        "allocated_bytes.small_pool.allocated": 300 * KiB,
        "allocated_bytes.small_pool.current": 0,
        "allocated_bytes.small_pool.freed": 300 * KiB,
        "allocated_bytes.small_pool.peak": 300 * KiB,
    }
    assert found["reserved_bytes.all.current"] == 22 * MiB
    assert found["inactive_split_bytes.large_pool.current"] == 17 * MiB
    assert found["inactive_split_bytes.small_pool.current"] == 0
    assert found["inactive_split_bytes.small_pool.peak"] == 2 * MiB - 300 * KiB
    assert found["segment.all.current"] == 2
    assert found["active.all.peak"] == 2


def test_peaks_are_what_is_held_after_they_are_reset():
    allocator = Allocator()
    allocator.free(allocator.allocate(64 * MiB))
    assert (allocator.peak_allocated, allocator.peak_reserved) == (64 * MiB, 64 * MiB)
    allocator.reset_peaks()
    assert (allocator.peak_allocated, allocator.peak_reserved) == (0, 64 * MiB)
    allocator.reset_accumulated()
    assert allocator.statistics()["allocated_bytes.all.allocated"] == 0


def test_an_expandable_segment_grows_by_pages_of_20_MiB_and_of_2_MiB_for_small_requests():
    allocator = Allocator(expands=True)
    first = allocator.allocate(33 * MiB)
    assert (allocator.allocated, allocator.reserved) == (33 * MiB, 40 * MiB)
    second = allocator.allocate(10 * MiB)  # 7 MiB are free behind the first: so 3 MiB more, which is a page
    assert (second.address - first.address, allocator.reserved) == (33 * MiB, 60 * MiB)
    allocator.allocate(KiB)
    assert allocator.reserved == 62 * MiB
    assert allocator.statistics()["segment.all.current"] == 2


def test_no_long_piece_is_needed_in_an_expandable_segment():
    allocator = Allocator(capacity=120 * MiB, expands=True)
    blocks = [allocator.allocate(20 * MiB) for _ in range(6)]
    for block in blocks[::2]:
        allocator.free(block)
    found = allocator.allocate(60 * MiB)  # behind the others: the free pages go back to the GPU, and come again there
    assert found.address == blocks[5].address + 20 * MiB
    statistics = allocator.statistics()
    assert (allocator.allocated, allocator.reserved, statistics["num_alloc_retries"]) == (120 * MiB, 120 * MiB, 1)
    scattered = Allocator(capacity=120 * MiB)
    blocks = [scattered.allocate(20 * MiB) for _ in range(6)]
    scattered.free(blocks[0])
    with pytest.raises(RuntimeError, match="out of memory"):
        scattered.allocate(40 * MiB)


def test_an_expandable_segment_gives_back_whole_pages_alone():
    allocator = Allocator(expands=True)
    blocks = [allocator.allocate(15 * MiB) for _ in range(4)]  # 60 MiB
    allocator.free(blocks[1])  # 15 to 30 MiB
    allocator.empty_cache()
    assert allocator.reserved == 60 * MiB
    allocator.free(blocks[2])  # 15 to 45 MiB: one whole page, from 20 to 40
    allocator.empty_cache()
    assert (allocator.reserved, allocator.allocated) == (40 * MiB, 30 * MiB)
    found = allocator.allocate(25 * MiB)  # 5 MiB that are free, and that page again
    assert (found.address, found.size, allocator.reserved) == (blocks[1].address, 25 * MiB, 60 * MiB)
    for block in (blocks[0], blocks[3], found):
        allocator.free(block)
    allocator.empty_cache()
    assert (allocator.reserved, allocator.statistics()["segment.all.current"]) == (0, 0)


def test_an_expandable_segment_ends_where_the_gpu_is_full():
    allocator = Allocator(capacity=100 * MiB, expands=True)
    allocator.allocate(60 * MiB)
    allocator.allocate(40 * MiB - 512)
    with pytest.raises(RuntimeError, match="out of memory. Tried to allocate 10.00 MiB"):
        allocator.allocate(10 * MiB)


@pytest.mark.parametrize(
    ("setting", "asks"),
    [
        ("", False),
        ("expandable_segments:True", True),
        ("max_split_size_mb:128, expandable_segments:True", True),
        ("expandable_segments:True,expandable_segments:False", False),
        ("garbage_collection_threshold:0.8", False),
    ],
)
def test_the_variable_that_pytorch_reads_asks_for_it(setting, asks):
    assert expands(setting) is asks


def test_a_block_is_freed_once():
    allocator = Allocator()
    block = allocator.allocate(1)
    allocator.free(block)
    with pytest.raises(ValueError, match="was freed before"):
        allocator.free(block)


def check(allocator, live):
    """Segments have no holes and no overlaps, no two free neighbours, and sums that are those told."""
    reserved = allocated = 0
    holes = {hole for pool in allocator._pools() if pool.segment is not None for _, hole in pool.segment.holes}
    for segment in allocator.blocks():
        for block, after in zip(segment, segment[1:]):
            assert not (block in holes and after in holes)
            assert block.address + block.size == after.address
            assert after.before is block
            assert not (block.is_free and after.is_free)
        reserved += sum(block.size for block in segment if block not in holes)
        allocated += sum(block.size for block in segment if not block.is_free and block not in holes)
    assert (reserved, allocated) == (allocator.reserved, allocator.allocated)
    assert allocated == sum(block.size for block in live)
    found = allocator.statistics()
    split = sum(
        block.size for segment in allocator.blocks() if len(segment) > 1 for block in segment if block.is_free
    )
    assert found["inactive_split_bytes.all.current"] == split
    for name in ("allocated_bytes", "reserved_bytes", "allocation", "segment", "requested_bytes"):
        for what in ("current", "allocated", "freed"):
            parts = (found[f"{name}.{pool}.{what}"] for pool in ("small_pool", "large_pool"))
            assert found[f"{name}.all.{what}"] == sum(parts)


@pytest.mark.parametrize("expands", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_nothing_overlaps_and_sums_are_right_whatever_is_asked_for(seed, expands):
    dice = random.Random(seed)
    allocator = Allocator(capacity=2 << 30, expands=expands)
    live = []
    for step in range(3000):
        if live and dice.random() < 0.48:
            allocator.free(live.pop(dice.randrange(len(live))))
        elif dice.random() < 0.002:
            allocator.empty_cache()
        else:
            size = int(2 ** dice.uniform(0, 28))
            try:
                block = allocator.allocate(size, stream=dice.randrange(2))
            except RuntimeError:
                assert allocator.reserved > (2 << 30) - size - 20 * MiB
                continue
            assert block.size >= size
            live.append(block)
        if step % 100 == 0:
            check(allocator, live)
    check(allocator, live)
    ends = sorted((block.address, block.address + block.size) for block in live)
    assert all(end <= begin for (_, end), (begin, _) in zip(ends, ends[1:]))
    for block in live:
        allocator.free(block)
    allocator.empty_cache()
    assert (allocator.allocated, allocator.reserved) == (0, 0)
