"""Lab 16: how well a training step scales, measured: speedup, strong and weak efficiency."""

from ndsim import Group, lab
import numpy as np


def step(gpu, given, ranks, samples):
    """A training step of so many samples on each of the first `ranks` ranks: computes, then adds the gradients up.

    Returns how many simulated seconds it took."""
    begin = gpu.now()
    gpu.compute("samples", flops=samples * given.flops_per_sample)
    gpu.all_reduce(bytes=given.gradient_bytes, group=Group.strided(0, 1, ranks))
    return gpu.now() - begin


def measure(gpu, given, speedup, strong, weak):
    # Your lines begin here: for 1, 2, 4, … ranks up to all of them, take a step with given.samples in all, and one with
    # given.samples on each rank. Only the first so many ranks take part.
    # Starter: lab.gap(gpu, "measure the steps here")
    ranks, of_one = 1, None
    while ranks <= gpu.world_size:
        if gpu.rank < ranks:
            shared = step(gpu, given, ranks, given.samples // ranks)
            each = step(gpu, given, ranks, given.samples)
            of_one = of_one or (shared, each)
            speedup.append(of_one[0] / shared)
            strong.append(of_one[0] / shared / ranks)
            weak.append(of_one[1] / each)
        ranks *= 2
    # Your lines end here.


def program(gpu, given):
    speedup, strong, weak = [], [], []
    measure(gpu, given, speedup, strong, weak)
    if gpu.rank == 0:  # it is in every step
        gpu.report("speedup", np.array(speedup))
        gpu.report("strong efficiency", np.array(strong))
        gpu.report("weak efficiency", np.array(weak))


lab.run(program)
