"""Allocations and frees of many sizes and streams, until the GPU is full; prints the caching allocator's statistics.

SETTINGS_LATER and FRACTION_LATER are allocator settings, and a share of the GPU, that apply from halfway on.
"""

import json
import os

import torch

MIB = 1 << 20
SIZES = (100, 512, 700, 40_000, MIB, MIB + 1, 3 * MIB, 7 * MIB, 10 * MIB, 11 * MIB + 5, 33 * MIB, 90 * MIB, 250 * MIB, 600 * MIB + 3)


class Chance:
    """Gives the same numbers in every PyTorch."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % limit


def show(what):
    stats = torch.cuda.memory_stats()
    # Newer PyTorch has further counters, for things that do not happen here.
    known = {key: value for key, value in stats.items() if "private_pool" not in key and key != "num_oom_rejections"}
    print(what, json.dumps(known, sort_keys=True), torch.cuda.mem_get_info()[0])


def allocate(held, size):
    try:
        held.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
    except torch.cuda.OutOfMemoryError as error:
        print(str(error).split("See documentation")[0])
        held.clear()


def mix(chance, held, streams, times):
    for _ in range(times):
        stream = streams[chance.below(len(streams))]
        with torch.cuda.stream(stream):
            if chance.below(5) < 3 or not held:
                allocate(held, SIZES[chance.below(len(SIZES))] + chance.below(3) * chance.below(MIB))
            else:
                freed = held.pop(chance.below(len(held)))
                if chance.below(4) == 0:
                    freed.record_stream(streams[0])
                del freed


def main():
    chance = Chance(7)
    streams = [torch.cuda.default_stream(), torch.cuda.Stream()]
    held = []
    for part in range(12):
        if part == 6:
            torch.cuda.empty_cache()
            if later := os.environ.get("SETTINGS_LATER"):
                torch.cuda.memory._set_allocator_settings(later)
        if part == 8 and (fraction := os.environ.get("FRACTION_LATER")):
            torch.cuda.set_per_process_memory_fraction(float(fraction))
        mix(chance, held, streams[: 1 + part % 2], 80)
        show(f"part {part}")
    held.clear()
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.empty_cache()
    show("end")
    torch.cuda.reset_accumulated_memory_stats()
    show("anew")


main()
