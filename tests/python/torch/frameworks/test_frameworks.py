"""Frameworks run unmodified, with their default options, and their losses are those of plain PyTorch over gloo."""

import json
import pathlib
import re

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parent / "scripts"


@pytest.fixture
def losses(command):
    """Words of a command line -> the losses that two ranks print, and the answer."""

    def run(name, *arguments, options=()):
        done = command("--json", "--nproc", 2, *options, SCRIPTS / f"{name}.py", *arguments)
        assert done.returncode == 0, done.stderr
        return losses_of(done.stderr), json.loads(done.stdout)

    return run


@pytest.fixture
def losses_on_the_host(real_ranks, tmp_path):
    """The same in real processes over gloo."""

    def run(name, *arguments):
        done = real_ranks(tmp_path, ["--nproc-per-node", 2, SCRIPTS / f"{name}.py", *arguments])
        assert done.returncode == 0, done.stderr
        return losses_of(done.stdout)

    return run


def losses_of(text):
    return [float(number) for number in re.findall(r"^loss (\S+)$", text, re.MULTILINE) if number not in ("hollow", "nan")]


def test_transformers_trains_as_on_the_host(losses, losses_on_the_host):
    found, answer = losses("trainer_of_transformers")
    assert found == losses_on_the_host("trainer_of_transformers", "--cpu") and len(found) == 5
    assert answer["steps"] == 4


@pytest.mark.parametrize("more", [["--parallel", "fsdp2", "--recompute"], ["--attention", "flash_attention_2"]], ids=["fsdp2", "flash"])
def test_transformers_trains_in_bf16(losses, more):
    found, answer = losses("trainer_of_transformers", "--precision", "bf16", *more, options=["--explain-cost"])
    assert found == pytest.approx([4.855, 4.870, 4.857, 4.862, 4.820], abs=0.02)
    # It imports Apex where that is there, and goes on without.
    assert ("flash_attn" in answer["stand_ins"]) == ("flash_attention_2" in more)
    assert not [row["operator"] for row in answer["operators"] if row["guessed"]]


@pytest.mark.parametrize("words", [["trainer_of_transformers", "--hidden", "256"], ["zero", "--stage", "3"]], ids=lambda words: words[0])
def test_a_hollow_run_is_the_real_one_without_its_losses(losses, words):
    (found, real), (none, hollow) = losses(*words), losses(*words, options=["--hollow"])
    # The first loss of a small model comes from small tensors, which are computed.
    assert len(found) == 5 and len(none) <= 1
    for key in ("timeline_sha256", "step_seconds", "memory"):
        assert hollow[key] == real[key]


def test_accelerate_trains_as_on_the_host(losses, losses_on_the_host):
    found, _ = losses("accelerated")
    assert found == losses_on_the_host("accelerated", "--cpu") and len(found) == 4


@pytest.mark.parametrize("what", ["trainer", "fabric"])
def test_lightning_trains_as_on_the_host(losses, losses_on_the_host, what):
    found, _ = losses("lightning_trainer", "--with", what)
    assert found == losses_on_the_host("lightning_trainer", "--with", what, "--accelerator", "cpu") and len(found) >= 6


@pytest.mark.parametrize("more", [["--stage", "1"], ["--stage", "3"], ["--stage", "2", "--offload"]], ids=" ".join)
def test_deepspeed_trains_as_plain_pytorch_with_its_own_optimizers(losses, losses_on_the_host, more):
    found, answer = losses("zero", *more, options=["--explain-cost"])
    assert found == pytest.approx(losses_on_the_host("zero", "--plain"), rel=1e-6) and len(found) == 5
    fused = [row for row in answer["operators"] if row["operator"] == "multi_tensor_adam"]
    assert bool(fused) == ("--offload" not in more)
    assert not [row["operator"] for row in answer["operators"] if row["guessed"]]


def test_megatron_with_stand_ins_for_transformer_engine_trains_as_its_own_layers_on_the_host(losses, losses_on_the_host):
    found, answer = losses("gpt_of_megatron", "--tp", 2, "--sequence-parallel", options=["--explain-cost"])
    assert found == losses_on_the_host("gpt_of_megatron", "--tp", 2, "--cpu") and len(found) == 6
    assert {"transformer_engine", "fused_weight_gradient_mlp_cuda"} <= set(answer["stand_ins"])
    assert not [row["operator"] for row in answer["operators"] if row["guessed"]]


def test_megatron_trains_hollow_in_the_time_and_memory_of_the_real_run_with_pipeline_and_distributed_optimizer(losses):
    words = ("gpt_of_megatron", "--tp", 1, "--pp", 2, "--optimizer", "adam")
    (found, real), (none, hollow) = losses(*words), losses(*words, options=["--hollow"])
    assert len(found) == 6 and none == []
    for key in ("timeline_sha256", "step_seconds", "memory"):
        assert hollow[key] == real[key]
