"""Mistakes in lab 15 as a PyTorch script: text of the solution's gap, and what they have in its place."""

ZERO_GRAD = "    optimizer.zero_grad()\n"
EACH = "    for index, inputs in enumerate(micro_batches):\n"

MISTAKES = [
    ("all-reduce-every-micro-batch", [("contextlib.nullcontext() if last else model.no_sync()", "contextlib.nullcontext()")]),
    ("loss-not-divided", [(" / len(micro_batches)", "")]),
    ("zero-grad-in-the-loop", [(ZERO_GRAD, ""), (EACH, EACH + "    " + ZERO_GRAD)]),
    (
        "one-backward-at-the-end",
        [
            (ZERO_GRAD, ZERO_GRAD + "    total = 0\n"),
            ("loss = loss_of", "total = total + loss_of"),
            ("            loss.backward()\n", ""),
            ("    optimizer.step()\n", "    total.backward()\n    optimizer.step()\n"),
        ],
    ),
]
