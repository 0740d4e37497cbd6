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
    # Starter: lab.gap(gpu, "write ZeRO's step here")
    ranks, everything, layer = gpu.world_size, model.layers * model.parameters, 2 * model.parameters
    gpu.allocate("parameters", bytes=2 * everything // (ranks if zero == 3 else 1))
    gpu.allocate("gradients", bytes=4 * everything // (ranks if zero >= 2 else 1))
    gpu.allocate("optimizer", bytes=12 * everything // ranks)

    def with_parameters(work):
        if zero == 3:
            gpu.allocate("gathered", bytes=layer)
            gpu.all_gather(bytes=layer)
        work(gpu, model)
        if zero == 3:
            gpu.release("gathered", bytes=layer)

    for _ in range(model.layers):
        with_parameters(forward)
    for _ in range(model.layers):
        with_parameters(backward)
        gpu.reduce_scatter(bytes=layer)
    if zero < 3:
        for _ in range(model.layers):
            gpu.all_gather(bytes=layer)
    # Your lines end here.


def program(gpu, given):
    sharded(gpu, given, given.zero)


lab.run(program)
