"""Scripts in the form of PyTorch's DDP and FSDP tutorials run unmodified. test_gloo.py shows that losses are gloo's."""

import collections
import json
import pathlib
import re

import pytest

from forked import forked

SCRIPTS = pathlib.Path(__file__).resolve().parent / "tutorials"

# The scripts in SPAWNING start their own ranks.
SPAWNING = {"spawned_ddp", "fsdp_digits"}


def simulated(folder, run, *options):
    script, ranks, arguments = run
    started = [] if script in SPAWNING else ["--nproc", ranks]
    return forked(folder, [*started, *options, SCRIPTS / f"{script}.py", *arguments])


def losses(text):
    """The losses by the words before them on the line, in order; only lines that name their source count."""
    found = collections.defaultdict(list)
    for words, number in re.findall(r"([A-Za-z][\w :,\t]*?)[Ll]oss:? *\t?(\d+\.\d+(?:e-\d+)?)", text):
        found[" ".join(words.split())].append(float(number))
    return found


# Script, number of ranks, its arguments.
@pytest.mark.parametrize(
    "run",
    [
        ("spawned_ddp", 2, ["2"]),
        ("elastic_ddp", 2, []),
        ("trainer", 4, ["2", "1"]),
        ("fsdp_transformer", 4, ["--checkpointing"]),
        ("fsdp_transformer", 2, ["--strategy", "SHARD_GRAD_OP"]),
    ],
    ids=["spawned", "elastic", "trainer", "checkpointing", "grads-alone"],
)
def test_a_tutorial_runs_unmodified_and_gives_the_same_numbers_and_times_every_time(tmp_path, run):
    found = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = simulated(folder, run, "--json")
        assert done.returncode == 0, done.stderr
        found.append((losses(done.stderr), json.loads(done.stdout)["timeline_sha256"]))
    assert found[0][0]
    assert found[0] == found[1]


def test_a_model_over_two_gpus_has_one_loss_for_each_pair(tmp_path):
    done = simulated(tmp_path, ("spawned_ddp", 8, []))
    split = [key for key in losses(done.stdout) if key.startswith("split")]
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
    [["--precision", "fp16"], ["--precision", "bf16", "--strategy", "NO_SHARD", "--checkpointing"]],
    ids=["fp16-and-its-scaler", "not-sharded"],
)
def test_mixed_precision_trains_as_full_precision_does_to_three_digits(tmp_path, options):
    ways = [simulated(tmp_path, ("fsdp_transformer", 2, words)) for words in ([], options)]
    assert [each.returncode for each in ways] == [0, 0], ways[1].stderr
    full, mixed = (losses(each.stdout) for each in ways)
    assert list(full) == list(mixed) == ["Train Epoch: 1,", "Train Epoch: 2,"]
    for key in full:
        assert mixed[key] == pytest.approx(full[key], rel=1e-3)
