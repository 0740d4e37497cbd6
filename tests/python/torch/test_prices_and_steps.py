"""Prices of PyTorch's operators, compared with the training step of ndsim train, and which operators have one."""

import json
import pathlib

import ndsim
import pytest

THREE_MODELS = pathlib.Path(__file__).resolve().parent / "scripts" / "three_models.py"
TOKENS = 8192
# A block of Llama 3 8B in bf16, as a script executes it.
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


# With attention written out, and dropout, like the layer whose host time determined `kernel_floor`.
GPT = """
    import sys
    import torch
    from torch import nn
    from torch.nn import functional
    from torch.utils._python_dispatch import TorchDispatchMode

    class Block(nn.Module):
        def __init__(self, hidden=32, heads=4, tokens=16):
            super().__init__()
            self.heads = heads
            self.first, self.second = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
            self.all, self.projection = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
            self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)
            self.register_buffer("mask", torch.tril(torch.ones(tokens, tokens)).view(1, 1, tokens, tokens))

        def forward(self, x):
            batch, tokens, hidden = x.shape
            parts = self.all(self.first(x)).split(hidden, dim=2)
            query, key, value = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in parts)
            scores = (query @ key.transpose(-2, -1)) * (hidden // self.heads) ** -0.5
            scores = scores.masked_fill(self.mask[:, :, :tokens, :tokens] == 0, float("-inf"))
            weights = functional.dropout(functional.softmax(scores, -1), 0.1)
            values = (weights @ value).transpose(1, 2).contiguous().view(batch, tokens, hidden)
            x = x + functional.dropout(self.projection(values), 0.1)
            return x + functional.dropout(self.down(functional.gelu(self.up(self.second(x)))), 0.1)

    class Counted(TorchDispatchMode):
        count = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            Counted.count += 1
            return func(*args, **(kwargs or {}))

    block = Block().cuda()
    x = torch.empty(2, 16, 32, requires_grad=True, device="cuda")
    gradient = torch.empty_like(x)
    with Counted():
        for _ in range(int(sys.argv[1])):
            y = block(x)
        if len(sys.argv) > 2:
            y.backward(gradient)
    print(Counted.count)
"""


def test_a_layer_of_gpt_is_as_many_operators_and_kernels_as_the_hosts_share_is_derived_from(script):
    def counted(*passes):
        done = script(GPT, "--json", "--nproc", 1, "--explain-cost", arguments=passes)
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout)["operators"]
        return int(done.stderr.split()[-1]), sum(row["count"] for row in rows if row["how"] != "no kernel")

    once, twice, back = counted(1), counted(2), counted(2, "backward")
    # libsim/training/operator_time.cpp
    assert [after - before for before, after in zip(once, twice)] == [56, 23]
    assert [after - before for before, after in zip(twice, back)] == [92, 32]


@pytest.mark.parametrize(
    ("machine", "compiled", "forward_error", "backward_error"),
    [
        ("dgx-h100", True, 0.02, 0.01),
        ("dgx-a100", True, 0.01, 0.015),
        ("dgx-h100", False, 0.015, 0.05),
        ("dgx-a100", False, 0.04, 0.075),
    ],
)
def test_a_block_takes_as_long_as_in_a_step(printed, machine, compiled, forward_error, backward_error):
    options = ["--machine", machine, "--hollow", "--launch-microseconds", 0, "--flash-attention", 2]
    options += ["--compiled"] if compiled else []
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


@pytest.mark.parametrize("machine", ["dgx-h100", "g4dn.xlarge"])
def test_trainings_of_a_residual_network_a_bert_and_a_gpt_are_priced_without_a_guess(command, machine):
    done = command("--json", "--machine", machine, "--nproc", 1, "--explain-cost", THREE_MODELS)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["operators"]
    assert [row["operator"] for row in rows if row["guessed"]] == []
    assert {"cudnn_convolution", "native_layer_norm", "_foreach_lerp", "_fused_adamw"} <= {row["operator"] for row in rows}
