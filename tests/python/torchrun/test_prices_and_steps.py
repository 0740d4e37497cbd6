"""Prices of PyTorch's operators against the training step of ndsim train."""

import pytest
import torch

import ndsim
from priced import Priced, llama_block


class TestAgainstTheModelOfAStep:
    """A block of Llama 3 8B in bf16, as PyTorch carries it out, against the same block in `ndsim train`."""

    @pytest.mark.parametrize(
        ("machine", "compiled", "forward_error", "backward_error"),
        [
            ("dgx-h100", True, 0.01, 0.04),
            ("dgx-a100", True, 0.02, 0.035),
            ("dgx-h100", False, 0.05, 0.105),
            ("dgx-a100", False, 0.04, 0.08),
        ],
    )
    def test_a_block_takes_as_long(self, machine, compiled, forward_error, backward_error):
        tokens = 8192
        priced = Priced(machine, compiled)
        block, x, turns = llama_block(priced, tokens)
        with priced:
            y = block(x, turns)
        forward = priced.seconds
        with priced:
            y.backward(torch.empty_like(y))
        backward = priced.seconds - forward
        one, two = (step(machine, "compiled" if compiled else "eager", tokens, layers) for layers in (1, 2))
        assert forward == pytest.approx(two["forward"] - one["forward"], rel=forward_error)
        assert backward == pytest.approx(two["backward"] - one["backward"], rel=backward_error)


def step(machine, fusion, tokens, layers):
    answer = ndsim.predict(
        model="llama3-8b",
        machine=machine,
        gpus=1,
        global_batch=1,
        micro_batch=1,
        layers=layers,
        sequence=tokens,
        fusion=fusion,
        flash_version=2,
    )
    return {row["what"]: row["seconds"] for row in answer["critical_path_sum"]}
