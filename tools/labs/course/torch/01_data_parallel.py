"""Mistakes in lab 1 as a PyTorch script: text of the solution's gap, and what they have in its place."""

AVERAGE = """            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)
                parameter.grad /= dist.get_world_size()
"""
STEP = "            optimizer.step()\n"

MISTAKES = [
    ("sum-not-mean", [("                parameter.grad /= dist.get_world_size()\n", "")]),
    ("same-samples-on-every-rank", [(", sampler=sampler", ""), ("        sampler.set_epoch(epoch)\n", "")]),
    ("forgot-set-epoch", [("        sampler.set_epoch(epoch)\n", "")]),
    (
        "gradients-not-averaged",
        [
            ("            for parameter in model.parameters():\n", ""),
            ("                dist.all_reduce(parameter.grad)\n", ""),
            ("                parameter.grad /= dist.get_world_size()\n", ""),
        ],
    ),
    (
        "ddp-not-by-hand",
        [
            (AVERAGE, ""),
            ("    sampler =", "    model = nn.parallel.DistributedDataParallel(model)\n    sampler ="),
        ],
    ),
    ("weights-averaged", [(AVERAGE + STEP, STEP + AVERAGE.replace("grad", "data"))]),
]
