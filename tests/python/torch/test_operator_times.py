"""Eager PyTorch modules that were timed alone on GPUs, timed on simulated ones: docs/torch-prices.md, modules alone."""

import pathlib

import pytest

MODULES = pathlib.Path(__file__).resolve().parents[3] / "tools/torch_accuracy/operators.py"


def rows_of(said):
    """By module and pass: the bias and the error, as shares of the measured time."""
    rows = {}
    for line in said.splitlines()[1:]:
        words = line.split()
        if len(words) < 4 or not words[-1].endswith("%"):
            break
        rows[tuple(words[:-3])] = tuple(float(word.rstrip("%")) / 100 for word in words[-2:])
    return rows


@pytest.mark.parametrize(("machine", "gpu", "error"), [("dgx-h100", "H100-SXM", 0.11), ("dgx-b200", "B200", 0.07)])
def test_modules_alone_take_what_was_measured(command, machine, gpu, error):
    done = command("--nproc", 1, "--hollow", "--machine", machine, MODULES, gpu)
    assert done.returncode == 0, done.stderr
    rows = rows_of(done.stdout)
    assert rows.pop(("all",))[1] < error
    # Each one must match on its own, not only the average.
    assert {which: bias for which, (bias, _) in rows.items() if abs(bias) > 0.2} == {}


def test_a_gpu_without_measured_modules_is_refused(command):
    done = command("--nproc", 1, "--hollow", MODULES, "MI300X")
    assert done.returncode != 0
    assert "operator_times.csv has no GPU MI300X" in done.stderr
