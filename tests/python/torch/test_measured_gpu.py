"""Kernels and training steps that were measured on an H100, on the simulated one: docs/torch-prices.md, a GPU measured."""

import pathlib
import sys
from statistics import mean

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tools/measure_gpu"))
from compare import errors_of_kernels, errors_of_steps

MEASURED = ROOT / "docs/data/h100"
MEASURE = ROOT / "tools/measure_gpu/measure.py"
# The mean absolute error of a family of kernels, by the beginning of its name.
PROMISED = {
    "attention cudnn": 0.11,
    "experts' products": 0.17,
    "tokens to experts, index_add": 0.1,
    "rms_norm, forward": 0.15,
    "layer_norm, forward": 0.1,
    "swiglu": 0.1,
    "gelu": 0.1,
    "rotary, forward": 0.15,
    "transpose": 0.2,
    "AdamW": 0.25,
}
HOST_BOUND = "gpt of 125m"  # the host that measured them was slower than usual
OF_COMPILED_MEMORY = ", compiled"  # a run keeps tensors that torch.compile would not save


def predicted(command, folder, parts):
    done = command("--nproc", 1, "--hollow", "--machine", "dgx-h100", MEASURE, "--out", folder, "--parts", parts)
    assert done.returncode == 0, done.stderr


def test_kernels_take_what_was_measured(command, tmp_path):
    predicted(command, tmp_path, "attention,experts,moves,eager,compiled")
    found = errors_of_kernels(MEASURED, tmp_path)
    for name, promised in PROMISED.items():
        families = {family: mean(map(abs, errors)) for family, errors in found.items()
                    if family.startswith(name) and "compiled" not in family}
        assert families
        assert {family: error for family, error in families.items() if error > promised} == {}


def test_training_steps_take_the_time_and_the_memory_that_was_measured(command, tmp_path):
    predicted(command, tmp_path, "steps")
    found = errors_of_steps(MEASURED, tmp_path)
    times = {run: seconds for run, (seconds, _, _) in found.items() if HOST_BOUND not in run}
    assert len(times) == 16
    assert {run: error for run, error in times.items() if abs(error) > 0.09} == {}
    assert mean(map(abs, times.values())) < 0.06
    memory = [error for run, (_, *both) in found.items()
              if HOST_BOUND not in run and OF_COMPILED_MEMORY not in run for error in both]
    assert max(map(abs, memory)) < 0.03
