"""Lab 12: a slow GPU gets less work, and checkpoints come as often as failures make it worth while."""

from ndsim import lab
import numpy as np


def slowdown_of(given, rank):
    """How many times as long a rank takes for an item."""
    return given.slowdown if rank == given.slow_rank else 1


def gradient_of_items(gpu, given, first, count):
    """Computes items first, first + 1, … first + count - 1. Returns the sum of their gradients."""
    gpu.compute("items", flops=count * given.flops_per_item)
    items = np.arange(first, first + count)
    return np.sum(items) + count * (1 + np.arange(given.elements) % 3.0)


def program(gpu, given):
    gradient = None  # the mean over all items, on every rank
    interval = 0  # seconds from one checkpoint to the next
    # Your lines begin here: a share of the items for each rank, so that all end at the same time; the mean of the
    # gradients of all items; and Young's interval for the cluster that this model will be trained on.
    # Starter: lab.gap(gpu, "write the shares, the mean and the interval here")
    speeds = [1 / slowdown_of(given, rank) for rank in range(gpu.world_size)]
    counts = [round(given.items * speed / sum(speeds)) for speed in speeds]
    first = sum(counts[: gpu.rank])
    gradient = gradient_of_items(gpu, given, first, counts[gpu.rank])
    gpu.all_reduce(gradient)
    gradient /= given.items
    between_failures = given.gpu_hours_between_failures * 3600 / given.cluster_gpus
    interval = (2 * given.checkpoint_seconds * between_failures) ** 0.5
    # Your lines end here.
    gpu.report("gradient", gradient)
    gpu.report("checkpoint interval", interval)


lab.run(program)
