"""Mistakes in lab 16 as a PyTorch script: text of the solution's gap, and what they have in its place."""

STEP = "            trainer.step(inputs)\n"
WAIT = "            wait_for(device)\n"

MISTAKES = [
    ("clock-without-waiting", [(WAIT, "")]),
    # The GPU's backlog when the clock starts also shows: the host asks how far it has come.
    ("clock-without-waiting", [(WAIT + "            seconds", "            seconds")]),
    ("weak-not-strong", [('given["batch"] // ranks', 'given["batch"]')]),
    ("efficiency-is-speedup", [("speedup[-1] / ranks", "speedup[-1]")]),
    (
        "first-step-counted",
        [(STEP + WAIT + "            begin", WAIT + "            begin"), ('range(given["steps"])', 'range(given["steps"] + 1)')],
    ),
]
