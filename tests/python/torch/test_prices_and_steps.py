"""Prices of PyTorch's operators against the training step of ndsim train: a block of Llama 3 8B in bf16, as a script carries it out."""

import ndsim
import pytest

TOKENS = 8192
BLOCK = """
    import torch
    from torch import nn
    from torch.nn import functional

    class RMSNorm(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(width))

        def forward(self, x):
            wide = x.float()
            return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).type_as(x) * self.weight

    def turned(x, turns):
        pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * turns).flatten(-2).type_as(x)

    class Block(nn.Module):
        def __init__(self, hidden=4096, heads=32, kv_heads=8, ffn=14336):
            super().__init__()
            self.heads, self.kv_heads = heads, kv_heads
            self.first, self.second = RMSNorm(hidden), RMSNorm(hidden)
            of_keys = kv_heads * hidden // heads
            sizes = dict(query=(hidden, hidden), key=(hidden, of_keys), value=(hidden, of_keys), projection=(hidden, hidden),
                         gate=(hidden, ffn), up=(hidden, ffn), down=(ffn, hidden))
            self.layers = nn.ModuleDict({name: nn.Linear(*size, bias=False) for name, size in sizes.items()})

        def forward(self, x, turns):
            batch, tokens, hidden = x.shape
            normed, layers = self.first(x), self.layers
            query = turned(layers["query"](normed).view(batch, tokens, self.heads, -1), turns).transpose(1, 2)
            key = turned(layers["key"](normed).view(batch, tokens, self.kv_heads, -1), turns).transpose(1, 2)
            value = layers["value"](normed).view(batch, tokens, self.kv_heads, -1).transpose(1, 2)
            values = functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
            x = x + layers["projection"](values.transpose(1, 2).reshape(batch, tokens, hidden))
            normed = self.second(x)
            return x + layers["down"](functional.silu(layers["gate"](normed)) * layers["up"](normed))

    with torch.device("cuda"):
        block = Block().bfloat16()
        x = torch.empty(1, TOKENS, 4096, dtype=torch.bfloat16, requires_grad=True)
        turns = torch.empty(TOKENS, 1, 64, dtype=torch.complex64)
    events = [torch.cuda.Event(enable_timing=True) for _ in range(3)]
    events[0].record()
    y = block(x, turns)
    events[1].record()
    gradient = torch.empty_like(y)
    y.backward(gradient)
    events[2].record()
    torch.cuda.synchronize()
    print(*(1e-3 * one.elapsed_time(other) for one, other in zip(events, events[1:])))
""".replace("TOKENS", str(TOKENS))


@pytest.mark.parametrize(
    ("machine", "compiled", "forward_error", "backward_error"),
    [
        ("dgx-h100", True, 0.04, 0.045),
        ("dgx-a100", True, 0.035, 0.04),
        ("dgx-h100", False, 0.05, 0.115),
        ("dgx-a100", False, 0.04, 0.085),
    ],
)
def test_a_block_takes_as_long_as_in_a_step(printed, machine, compiled, forward_error, backward_error):
    options = ["--machine", machine, "--hollow", "--launch-microseconds", 0, *(["--compiled"] if compiled else [])]
    [line] = printed(BLOCK, "--nproc", 1, *options)
    forward, backward = map(float, line.split())
    one, two = (step(machine, "compiled" if compiled else "eager", layers) for layers in (1, 2))
    assert forward == pytest.approx(two["forward"] - one["forward"], rel=forward_error)
    assert backward == pytest.approx(two["backward"] - one["backward"], rel=backward_error)


def step(machine, fusion, layers):
    answer = ndsim.predict(
        model="llama3-8b",
        machine=machine,
        gpus=1,
        global_batch=1,
        micro_batch=1,
        layers=layers,
        sequence=TOKENS,
        fusion=fusion,
        flash_version=2,
    )
    return {row["what"]: row["seconds"] for row in answer["critical_path_sum"]}
