"""Lab 0: a step on one GPU, item by item."""

from ndsim import lab


def gradient_of(item, given):
    """The part of the gradient that one item adds."""
    return given.factor * (item + 1)


def program(gpu, given):
    # Your lines begin here: let the GPU compute each item, add up the items' gradients, and report the sum as
    # "gradient" and the simulated time as "seconds".
    # Starter: lab.gap(gpu, "compute the items here")
    gradient = 0
    for item in range(given.items):
        gpu.compute("item", units=given.units)
        gradient += gradient_of(item, given)
    gpu.report("gradient", gradient)
    gpu.report("seconds", gpu.now())
    # Your lines end here.


lab.run(program)
