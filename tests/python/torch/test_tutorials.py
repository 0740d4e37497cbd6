"""Scripts in the form of PyTorch's tutorials for DDP and FSDP run as they are, and their losses are those of real ranks under gloo."""

import collections
import json
import pathlib
import re
import subprocess
import sys

import pytest

from forked import forked

FOLDER = pathlib.Path(__file__).resolve().parent
SCRIPTS = FOLDER / "tutorials"

# Script, how many ranks, its arguments. Those of SPAWNING start their ranks themselves.
RUNS = [
    ("spawned_ddp", 2, ["2"]),
    ("spawned_ddp", 8, []),
    ("elastic_ddp", 2, []),
    ("elastic_ddp", 8, []),
    ("trainer", 2, ["2", "1"]),
    ("trainer", 4, ["2", "1"]),
    ("fsdp_digits", 2, ["--ranks", "2", "--save-model"]),
    ("fsdp_digits", 4, ["--ranks", "4", "--epochs", "1", "--batch-size", "8"]),
    ("fsdp_transformer", 2, []),
    ("fsdp_transformer", 4, ["--checkpointing"]),
    ("fsdp_transformer", 4, ["--strategy", "SHARD_GRAD_OP"]),
]
SPAWNING = {"spawned_ddp", "fsdp_digits"}


def name(run):
    return "-".join([run[0], str(run[1]), *(word.strip("-") for word in run[2])])


def done(folder, *words):
    line = [sys.executable, "-B", "-W", "ignore", *map(str, words)]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=200)


def simulated(folder, run, *options):
    script, ranks, arguments = run
    started = [] if script in SPAWNING else ["--nproc", ranks]
    return forked(folder, [*started, *options, SCRIPTS / f"{script}.py", *arguments])


def under_gloo(folder, run):
    script, ranks, arguments = run
    started = [] if script in SPAWNING else ["--ranks", ranks]
    return done(folder, FOLDER / "on_cpu.py", "--gpus", 8, *started, SCRIPTS / f"{script}.py", *arguments)


def losses(text):
    """What stands behind the word loss, of each line that says whose it is, in the order of what is before it."""
    found = collections.defaultdict(list)
    for words, number in re.findall(r"([A-Za-z][\w :,\t]*?)[Ll]oss:? *\t?(\d+\.\d+(?:e-\d+)?)", text):
        found[" ".join(words.split())].append(float(number))
    return found


@pytest.mark.parametrize("run", RUNS, ids=name)
def test_a_tutorial_runs_unmodified_with_the_losses_of_gloo(tmp_path, run):
    runs = []
    for where in (simulated, under_gloo):
        folder = tmp_path / where.__name__
        folder.mkdir()
        runs.append(where(folder, run))
    for each in runs:
        assert each.returncode == 0, each.stderr
    ours, real = (losses(each.stdout) for each in runs)
    assert real
    if run[1] == 2:
        assert ours == real
    else:
        assert ours.keys() == real.keys()
        for key in real:
            assert ours[key] == pytest.approx(real[key], rel=1e-6, abs=1e-6)


def test_a_model_over_two_gpus_has_one_loss_for_each_pair(tmp_path):
    split = [key for key in losses(simulated(tmp_path, ("spawned_ddp", 8, [])).stdout) if key.startswith("split")]
    assert sorted(split) == ["split rank 0", "split rank 1", "split rank 2", "split rank 3"]


def test_a_trainer_goes_on_from_its_snapshot(tmp_path):
    def run(epochs):
        return simulated(tmp_path, ("trainer", 2, [epochs, "1"]))

    begun, gone_on = run("2"), run("4")
    assert (begun.returncode, gone_on.returncode) == (0, 0)
    assert "Epoch 1 | Training snapshot saved at snapshot.pt" in begun.stdout
    assert gone_on.stdout.count("Resuming training from snapshot at Epoch 1") == 2
    assert sorted({key.split()[-1] for key in losses(gone_on.stdout)}) == ["1", "2", "3"]


@pytest.mark.parametrize("more", [["--offload"], ["--workers", "2"]], ids=["offload", "workers"])
def test_parameters_on_the_host_and_loading_workers_change_no_loss(tmp_path, more):
    plain = ["--ranks", "2", "--epochs", "1"]
    ways = [simulated(tmp_path, ("fsdp_digits", 2, plain + words)) for words in ([], more)]
    assert [each.returncode for each in ways] == [0, 0], ways[1].stderr
    assert losses(ways[0].stdout) == losses(ways[1].stdout)


def test_events_and_a_whole_state_of_a_sharded_model(tmp_path):
    said = simulated(tmp_path, ("fsdp_digits", 2, ["--ranks", "2", "--epochs", "1", "--save-model"])).stdout
    weights = (9 * 8 + 8) + (8 * 9 * 16 + 16) + (2304 * 128 + 128) + (128 * 10 + 10)
    assert f"saved {weights} numbers" in said
    assert re.search(r"CUDA event elapsed time: 0\.00\d+sec", said)


@pytest.mark.parametrize(
    "options",
    [["--precision", "bf16"], ["--precision", "fp16"], ["--precision", "bf16", "--strategy", "NO_SHARD", "--checkpointing"]],
    ids=["bf16", "fp16-and-its-scaler", "not-sharded"],
)
def test_mixed_precision_trains_as_full_precision_does_to_three_digits(tmp_path, options):
    ways = [simulated(tmp_path, ("fsdp_transformer", 2, words)) for words in ([], options)]
    assert [each.returncode for each in ways] == [0, 0], ways[1].stderr
    full, mixed = (losses(each.stdout) for each in ways)
    assert list(full) == list(mixed) == ["Train Epoch: 1,", "Train Epoch: 2,"]
    for key in full:
        assert mixed[key] == pytest.approx(full[key], rel=1e-3)


@pytest.mark.parametrize("run", [("trainer", 4, ["1", "5"]), ("fsdp_transformer", 4, [])], ids=name)
def test_the_timeline_is_the_same_every_time(tmp_path, run):
    hashes = set()
    for number in range(5):
        folder = tmp_path / str(number)
        folder.mkdir()
        hashes.add(json.loads(simulated(folder, run, "--json").stdout)["timeline_sha256"])
    assert len(hashes) == 1
