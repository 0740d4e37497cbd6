"""Lab 10: one training step whose states are spread over the ranks, as ZeRO does it."""

from ndsim import lab


def forward(gpu, model):
    gpu.compute("forward", flops=2 * model.parameters * model.tokens)


def backward(gpu, model):
    gpu.compute("backward", flops=4 * model.parameters * model.tokens)


def replicated(gpu, model):
    """Plain data parallelism, to look at: every rank holds everything, 18 bytes for each parameter."""
    everything = model.layers * model.parameters
    gpu.allocate("parameters", bytes=2 * everything)
    gpu.allocate("gradients", bytes=4 * everything)
    gpu.allocate("optimizer", bytes=12 * everything)
    for _ in range(model.layers):
        forward(gpu, model)
    for _ in range(model.layers):
        backward(gpu, model)
        gpu.all_reduce(bytes=2 * model.parameters)


def sharded(gpu, model, zero):
    # Your lines begin here: the same step, with the states spread over the ranks as ZeRO 1, 2 or 3 does. Collectives are
    # of one layer each: gpu.all_gather and gpu.reduce_scatter are called as gpu.all_reduce above.
    lab.gap(gpu, "write ZeRO's step here")
    # Your lines end here.


def program(gpu, given):
    sharded(gpu, given, given.zero)


lab.run(program)
