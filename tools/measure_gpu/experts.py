"""Products of experts in one kernel, and the kernels that bring tokens to their experts and back."""

import torch

from case import BF16, Case, drawn, whole
from clock import copies

# Hidden width, width of an expert (gate and up together are twice as wide), tokens' experts.
MODELS = {"deepseek-v3": (7168, 2048, 8), "qwen3-30b-a3b": (2048, 768, 8), "mixtral-8x7b": (4096, 14336, 2)}
SIZES = {  # experts on a GPU, and each one's rows
    "deepseek-v3": ((8, 256), (8, 1024), (8, 4096), (32, 64), (32, 256), (32, 1024)),
    "qwen3-30b-a3b": ((16, 128), (16, 512), (16, 2048), (128, 32), (128, 128), (128, 512), (128, 1024)),
    "mixtral-8x7b": ((2, 512), (2, 4096), (8, 128), (8, 512), (8, 2048)),
}
KINDS = ("forward", "input_gradient", "weight_gradient")


def grouped(kind, experts, rows, inputs, outputs):
    """The products as torchtitan's GroupedExperts calls them: weights are [experts, inputs, outputs], seen transposed."""
    all_rows = experts * rows
    ends = torch.arange(rows, all_rows + 1, rows, device="cuda", dtype=torch.int32)
    calls = []
    for _ in range(copies(2 * (all_rows * (inputs + outputs) + experts * inputs * outputs))):
        x, g = drawn(all_rows, inputs), drawn(all_rows, outputs)
        w = drawn(experts, outputs, inputs) if kind != "weight_gradient" else None
        calls.append({
            "forward": lambda x=x, w=w: torch._grouped_mm(x, w.transpose(-2, -1), ends),
            "input_gradient": lambda g=g, w=w: torch._grouped_mm(g, w, ends),
            "weight_gradient": lambda g=g, x=x: torch._grouped_mm(g.t(), x, ends),
        }[kind])  # fmt: skip
    return calls


def grouped_mm():
    for model, (hidden, width, _) in MODELS.items():
        for experts, rows in SIZES[model]:
            for layer, inputs, outputs in (("up", hidden, 2 * width), ("down", width, hidden)):
                for kind in KINDS:
                    yield Case(f"experts' products, {kind}", f"{model} {layer}, {experts} experts, {rows} rows each",
                               lambda k=kind, e=experts, r=rows, i=inputs, o=outputs: grouped(k, e, r, i, o))  # fmt: skip


def routed(tokens, experts, chosen):
    """The order of tokens by expert, each token's experts drawn at random."""
    of_tokens = torch.rand(tokens, experts, device="cuda").topk(chosen).indices
    return of_tokens.view(-1).argsort(stable=True)


def permuted(tokens, hidden, chosen, experts):
    x, order = drawn(tokens, hidden), routed(tokens, experts, chosen) // chosen
    return [lambda: x[order]]


def selected(tokens, hidden, chosen, experts):
    x, order = drawn(tokens, hidden), routed(tokens, experts, chosen) // chosen
    return [lambda: torch.index_select(x, 0, order)]


def brought_back(tokens, hidden, chosen, experts):
    rows, order = drawn(tokens * chosen, hidden), routed(tokens, experts, chosen) // chosen
    result = torch.zeros(tokens, hidden, device="cuda", dtype=BF16)
    return [lambda: result.index_add_(0, order, rows)]


def summed(tokens, hidden, chosen, experts):
    rows, order = drawn(tokens * chosen, hidden), routed(tokens, experts, chosen)
    shares = drawn(tokens, chosen, 1)

    def call():
        back = torch.empty_like(rows)
        back[order] = rows
        return (back.view(tokens, chosen, hidden) * shares).sum(1)

    return [call]


def router(tokens, hidden, chosen, experts):
    x, w = drawn(tokens, hidden), drawn(experts, hidden)
    return [lambda: torch.softmax(torch.mm(x, w.t()).float(), -1).topk(chosen)]


def sorted_tokens(tokens, hidden, chosen, experts):
    of_tokens = whole(experts, tokens * chosen)
    return [lambda: of_tokens.argsort(stable=True)]


MOVES = {"index": permuted, "index_select": selected, "index_add": brought_back, "unpermute": summed, "router": router, "sort": sorted_tokens}


def moves():
    for how, make in MOVES.items():
        for tokens, hidden, chosen, experts in ((4096, 7168, 8, 256), (8192, 2048, 8, 128), (16384, 4096, 2, 8), (2048, 2048, 8, 128)):
            yield Case(f"tokens to experts, {how}", f"{tokens} tokens of {hidden}, {chosen} of {experts}",
                       lambda m=make, t=tokens, h=hidden, c=chosen, e=experts: m(t, h, c, e))  # fmt: skip
