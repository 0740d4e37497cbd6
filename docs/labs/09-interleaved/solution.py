"""Lab 9: a pipeline whose stages hold several chunks of the model each (interleaved 1F1B)."""

from typing import NamedTuple

from ndsim import lab
import numpy as np


class Step(NamedTuple):
    is_backward: bool
    micro_batch: int
    chunk: int


class Stage:
    """Chunk c of stage s is place c p + s of the chain that the model is. Each place multiplies by its weight."""

    def __init__(self, gpu, given):
        self.gpu, self.given, self.chunks = gpu, given, given.chunks
        self.last_place = gpu.world_size * given.chunks - 1
        self.weight_gradients = [0.0] * given.chunks
        self.inputs, self.outputs = {}, {}

    def execute(self, step):
        (self.backward if step.is_backward else self.forward)(step)

    def forward(self, step):
        """Receives, computes, and sends on."""
        place = self.place_of(step)
        x = self.batch(step.micro_batch) if place == 0 else self.take(step, "activation", place - 1)
        self.gpu.allocate("activations", bytes=self.given.activation_bytes // self.chunks)
        self.gpu.compute(f"forward {step.micro_batch}", flops=self.given.forward_flops // self.chunks)
        self.inputs[step.micro_batch, step.chunk] = x
        y = (1.0 + place % 3) * x
        if place == self.last_place:
            self.outputs[step.micro_batch] = y
        else:
            self.hand_over(step, "activation", place + 1, y)

    def backward(self, step):
        place = self.place_of(step)
        is_last = place == self.last_place
        if is_last and step.micro_batch not in self.outputs:
            self.take(step, "loss", place - 1)  # nobody sends it: without a forward pass there is no loss
        gradient = self.outputs[step.micro_batch] if is_last else self.take(step, "gradient", place + 1)
        self.gpu.compute(f"backward {step.micro_batch}", flops=2 * self.given.forward_flops // self.chunks)
        self.gpu.release("activations", bytes=self.given.activation_bytes // self.chunks)
        self.weight_gradients[step.chunk] += np.sum(gradient * self.inputs[step.micro_batch, step.chunk])
        if place > 0:
            self.hand_over(step, "gradient", place - 1, (1.0 + place % 3) * gradient)

    def place_of(self, step):
        return step.chunk * self.gpu.world_size + self.gpu.rank

    def tag(self, step, place):
        """A tag for each micro-batch, place and direction: a message never meets another step."""
        return 2 * (step.micro_batch * self.chunks * self.gpu.world_size + place) + step.is_backward

    def take(self, step, what, source):
        here = self.tag(step, self.place_of(step))
        return self.gpu.receive(source % self.gpu.world_size, dtype=float, label=what, tag=here)

    def hand_over(self, step, what, to, numbers):
        self.gpu.send_async(to % self.gpu.world_size, numbers, label=what, tag=self.tag(step, to))

    def batch(self, micro_batch):
        """The input of place 0."""
        return self.given.first + micro_batch + np.arange(self.given.elements) % 2.0


def schedule(gpu, micro_batches, chunks):
    stages = gpu.world_size
    steps = []
    # Your lines begin here: the steps of this stage, in order. Its n-th forward pass is of which micro-batch, through
    # which chunk? Its n-th backward pass? How many forward passes come before the first backward pass?
    # Starter: lab.gap(gpu, "write the interleaved schedule here")

    def nth(n, is_backward):
        group, in_group = divmod(n, stages * chunks)  # of p micro-batches
        chunk = in_group // stages
        return Step(is_backward, group * stages + n % stages, chunks - 1 - chunk if is_backward else chunk)

    total = micro_batches * chunks
    ahead = min(2 * (stages - 1 - gpu.rank) + (chunks - 1) * stages, total)
    for n in range(ahead):
        steps.append(nth(n, is_backward=False))
    for n in range(total):
        if ahead + n < total:
            steps.append(nth(ahead + n, is_backward=False))
        steps.append(nth(n, is_backward=True))
    # Your lines end here.
    return steps


def program(gpu, given):
    stage = Stage(gpu, given)
    for step in schedule(gpu, given.micro_batches, given.chunks):
        stage.execute(step)
    gpu.report("gradient", stage.weight_gradients)


lab.run(program)
