"""The lessons of docs/torch-lessons*.md: each script gives the same numbers in simulated ranks as over the real gloo.

With two ranks, a sum has only one possible result; more ranks add in an order of their own, so the last digits may differ.
"""

import pathlib
import re

import pytest

from forked import forked

FOLDER = pathlib.Path(__file__).resolve().parent
LESSONS = FOLDER.parents[2] / "docs" / "pytorch"
# One row per run: script, nodes, ranks per node, arguments. Small, because the arithmetic is real.
RUNS = [
    ("hello", 1, 5, []),
    ("ddp", 1, 2, ["--epochs", "2"]),
    ("communication", 1, 2, ["--largest", "10000"]),
    ("communication", 1, 3, ["--largest", "1000", "--op", "broadcast"]),
    ("accumulation", 1, 2, ["--hidden", "64", "--micro-batches", "2"]),
    ("model_split", 1, 2, ["--width", "64"]),
    ("scaling", 1, 2, ["--width", "64", "--mode", "weak"]),
    # PowerSGD starts collectives from threads, and gloo confuses those of several buckets; the small model has only one.
    ("compression", 1, 2, ["--hidden", "64"]),
    ("compression", 1, 2, ["--hidden", "600", "--hook", "none", "fp16", "topk"]),
    ("tensor_parallel", 1, 2, ["--width", "64"]),
    ("hybrid", 2, 2, ["--width", "64"]),
    ("fsdp", 1, 4, ["--width", "64"]),
    ("fsdp", 1, 2, ["--width", "64", "--strategy", "zero2"]),
    ("train_llm", 1, 2, ["--arch", "llama", "--kv-heads", "2", "--recompute", "selective", "--clip", "1"]),
    ("train_llm", 1, 4, ["--arch", "gpt", "--recompute", "full", "--attention", "plain", "--tied", "--bias", "--metrics", "1"]),
]


def name(run):
    script, nodes, ranks, arguments = run
    return "-".join([script, f"{nodes}x{ranks}", *(word.strip("-") for word in arguments)])


def numbers(text):
    """A lesson's numbers in the order of its lines: those after the words loss, metric, sum and weights."""
    return [float(number) for number in re.findall(r"\b(?:loss|metric|sum|weights) (-?[\d.]+(?:e[-+]\d+)?)", text)]


def under_gloo(real_ranks, run):
    script, nodes, ranks, arguments = run
    done = real_ranks(FOLDER, ["--nnodes", nodes, "--nproc-per-node", ranks, LESSONS / f"{script}.py", *arguments])
    assert done.returncode == 0, done.stderr
    return done.stdout


def simulated(run):
    script, nodes, ranks, arguments = run
    machine = FOLDER / f"node_of_{ranks}.toml" if nodes > 1 else "dgx-h100"
    done = forked(FOLDER, ["--machine", machine, "--nproc", nodes * ranks, LESSONS / f"{script}.py", *arguments])
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("run", RUNS, ids=name)
def test_a_lesson_computes_what_it_computes_under_gloo(real_ranks, run):
    real = numbers(under_gloo(real_ranks, run))
    ours = numbers(simulated(run))
    assert real
    exact = run[1] * run[2] == 2
    assert ours == (real if exact else pytest.approx(real, rel=1e-6, abs=1e-6))


def test_every_lesson_is_run():
    modules = {"llm"}
    assert {run[0] for run in RUNS} == {script.stem for script in LESSONS.glob("*.py")} - modules


@pytest.mark.parametrize("arch", ["gpt", "llama"])
def test_recomputation_does_not_change_a_loss(arch):
    sizes = ["--arch", arch, "--parallel", "ddp", "--kv-heads", "2"]
    losses = [numbers(simulated(("train_llm", 1, 2, [*sizes, "--recompute", what]))) for what in ("none", "selective", "full")]
    assert losses[0] == losses[1] == losses[2]
    assert len(losses[0]) == 3


def test_the_mean_loss_of_all_tokens_and_ranks_is_the_loss_of_the_training():
    text = simulated(("train_llm", 1, 2, ["--metrics", "2", "--global-batch", "8"]))
    lines = re.findall(r"loss (\S+) metric (\S+) metric (\S+)", text)
    assert len(lines) == 3
    for loss, first, second in lines:
        assert float(first) == float(second) == pytest.approx(float(loss), rel=1e-6)


def test_hybrid_layouts_of_the_same_ranks_train_the_same_model():
    losses = [numbers(simulated(("hybrid", 2, 2, ["--width", "64", "--tensor", tensor]))) for tensor in (1, 2, 4)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-6)
    assert losses[2] == pytest.approx(losses[0], rel=1e-6)


def test_micro_batches_and_stages_do_not_change_the_model_that_is_split():
    arguments = [["--width", "64", "--micro-batches", count] for count in (1, 4)]
    losses = [numbers(simulated(("model_split", 1, ranks, words))) for ranks, words in zip((2, 4), arguments)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-6)


def test_a_rank_that_fails_ends_its_run_with_its_traceback(real_ranks, tmp_path):
    script = tmp_path / "broken.py"
    script.write_text("import os, time\nif os.environ['RANK'] == '1':\n    raise ValueError('of rank 1')\ntime.sleep(1000)\n")
    done = real_ranks(tmp_path, ["--nproc-per-node", "3", script])
    assert done.returncode == 1
    assert "broken.py\", line 3" in done.stderr and "of rank 1" in done.stderr
