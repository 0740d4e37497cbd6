"""Liger's functions on a simulated GPU compared with the PyTorch functions they replace: largest differences of results and
gradients."""

import torch
import torch.nn.functional as F
from liger_kernel.ops import (
    LigerCrossEntropyFunction, LigerFusedAddRMSNormFunction, LigerFusedLinearCrossEntropyFunction, LigerGELUMulFunction,
    LigerLayerNormFunction, LigerRMSNormFunction, LigerRopeFunction, LigerSiLUMulFunction)

WIDTH, CLASSES = 64, 50


def leaves(*shapes):
    return [torch.randn(*shape, device="cuda").requires_grad_() for shape in shapes]


def differ(name, given, ours, theirs):
    """Passes copies to Liger, because it overwrites its inputs with gradients."""
    made = []
    for call in (ours, theirs):
        results = call(*(each * 1 for each in given))
        results = results if isinstance(results, tuple) else (results,)
        torch.manual_seed(1)
        gradients = torch.autograd.grad(results, given, [torch.randn(each.shape, device="cuda") for each in results])
        made.append([*results, *gradients])
    print(name, max((one - other).abs().max().item() for one, other in zip(*made, strict=True)))


def turned(x, cos, sin):
    return x * cos + torch.cat([-x[..., 8:], x[..., :8]], -1) * sin


def main():
    torch.manual_seed(0)
    x, y, weight, bias = leaves((3, 5, WIDTH), (3, 5, WIDTH), (WIDTH,), (WIDTH,))
    shape = (WIDTH,)
    differ("rms", (x, weight), lambda a, w: LigerRMSNormFunction.apply(a, w, 1e-6), lambda a, w: F.rms_norm(a, shape, w, 1e-6))
    differ("gemma", (x, weight), lambda a, w: LigerRMSNormFunction.apply(a, w, 1e-6, 1.0, "gemma"), lambda a, w: F.rms_norm(a, shape, w + 1, 1e-6))
    differ("add", (x, y, weight), lambda a, b, w: LigerFusedAddRMSNormFunction.apply(a, b, w, 1e-6), lambda a, b, w: (F.rms_norm(a + b, shape, w, 1e-6), a + b))
    differ("layer", (x, weight, bias), lambda a, w, b: LigerLayerNormFunction.apply(a, w, b, 1e-5), lambda a, w, b: F.layer_norm(a, shape, w, b, 1e-5))
    differ("swiglu", (x, y), LigerSiLUMulFunction.apply, lambda a, b: F.silu(a) * b)
    differ("geglu", (x, y), LigerGELUMulFunction.apply, lambda a, b: F.gelu(a, approximate="tanh") * b)
    queries, keys = leaves((2, 4, 6, 16), (2, 2, 6, 16))
    angles = torch.randn(1, 6, 8, device="cuda").repeat(1, 1, 2)
    tables = (angles.cos(), angles.sin())
    differ("rope", (queries, keys), lambda q, k: LigerRopeFunction.apply(q, k, *tables), lambda q, k: (turned(q, *tables), turned(k, *tables)))
    logits, hidden, head = leaves((12, CLASSES), (12, 32), (CLASSES, 32))
    target = torch.randint(CLASSES, (12,), device="cuda")
    target[3] = -100
    scale = torch.rand(CLASSES, device="cuda")
    losses = LigerCrossEntropyFunction.apply
    differ("loss", (logits,), lambda a: losses(a, target, scale, -100, 0.0, 0.1)[0], lambda a: F.cross_entropy(a, target, scale, label_smoothing=0.1))
    differ("capped", (logits,), lambda a: losses(a, target, None, -100, 0.0, 0.0, "sum", 2.0)[0], lambda a: F.cross_entropy(2 * (a / 2).tanh(), target, reduction="sum"))
    differ("linear", (hidden, head), lambda a, w: LigerFusedLinearCrossEntropyFunction.apply(a, w, target)[0], lambda a, w: F.cross_entropy(a @ w.t(), target))


if __name__ == "__main__":
    main()
