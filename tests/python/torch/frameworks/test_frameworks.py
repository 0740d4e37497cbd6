"""Frameworks run unmodified, with their default options, and their losses equal those of plain PyTorch over gloo."""

import json
import pathlib
import re
import tempfile

import ndsim
import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parent / "scripts"


@pytest.fixture
def losses(command):
    """Command-line words -> the losses that two ranks print, and the answer."""

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


def told(answer, *names):
    """The recognised framework, what is unknown, and the named fields of its layout."""
    known = answer["recognised"]
    return known["framework"], known["unknown"], *(known["layout"][name] for name in names)


def test_transformers_trains_as_on_the_host(losses, losses_on_the_host):
    found, answer = losses("trainer_of_transformers")
    assert found == losses_on_the_host("trainer_of_transformers", "--cpu") and len(found) == 5
    assert answer["steps"] == 4
    assert told(answer, "dp", "zero", "precision", "recompute") == ("Transformers", [], 2, 0, "fp32", "none")
    # 2 ranks, 4 sequences of 32 tokens each.
    assert answer["tokens_per_step"] == 256 and answer["tokens_per_second"] == 256 / answer["step_seconds"]


@pytest.mark.parametrize("more", [["--parallel", "fsdp2", "--recompute"], ["--attention", "flash_attention_2"]], ids=["fsdp2", "flash"])
def test_transformers_trains_in_bf16(losses, more):
    found, answer = losses("trainer_of_transformers", "--precision", "bf16", *more, options=["--explain-cost", "--against", "train"])
    assert found == pytest.approx([4.855, 4.870, 4.857, 4.862, 4.820], abs=0.02)
    # It imports Apex if available, and works without.
    assert ("flash_attn" in answer["stand_ins"]) == ("flash_attention_2" in more)
    spread = ("Transformers", [], 3, "full") if "fsdp2" in more else ("Transformers", [], 0, "none")
    assert told(answer, "zero", "recompute") == spread
    assert held_against_the_same_options(answer) == []
    assert not [row["operator"] for row in answer["operators"] if row["guessed"]]


def test_transformers_with_ligers_kernels_trains_as_without_on_the_host(losses, losses_on_the_host):
    found, answer = losses("trainer_of_transformers", "--liger", options=["--explain-cost"])
    assert found == losses_on_the_host("trainer_of_transformers", "--cpu") and len(found) == 5
    kernels = {row["operator"]: row["count"] for row in answer["operators"] if row["operator"].startswith("liger_")}
    # Four steps and an evaluation of two layers: two norms each, and the final one; one launch rotates queries and keys.
    assert kernels == {
        "liger_rms_norm": 5 * 5, "liger_rms_norm_backward": 4 * 5, "liger_rope": 5 * 2 + 4 * 2, "liger_glu": 5 * 2, "liger_glu_backward": 4 * 2,
        "liger_cross_entropy": 2 * 4, "liger_cross_entropy_losses": 2, "liger_scale": 2 * 4}
    assert not [row["operator"] for row in answer["operators"] if row["guessed"]]


def test_each_of_ligers_kernels_computes_what_pytorch_does(command):
    done = command("--json", "--nproc", 1, SCRIPTS / "liger_kernels.py")
    assert done.returncode == 0, done.stderr
    found = dict(re.findall(r"^([a-z]+) (\S+)$", done.stderr, re.MULTILINE))
    assert len(found) == 10 and all(float(each) < 2e-5 for each in found.values()), found


@pytest.mark.parametrize(
    "words", [["trainer_of_transformers", "--hidden", "256"], ["trainer_of_transformers", "--liger"], ["zero", "--stage", "3"]], ids=" ".join)
def test_a_hollow_run_is_the_real_one_without_its_losses(losses, words):
    (found, real), (none, hollow) = losses(*words), losses(*words, options=["--hollow"])
    # The first loss of a small model comes from small tensors, which are really computed.
    assert len(found) == 5 and len(none) <= 1
    for key in ("timeline_sha256", "step_seconds", "memory"):
        assert hollow[key] == real[key]


def held_against_the_same_options(answer):
    """Differences between `--against train` and the prediction for the same config and layout, requested by hand."""
    # The model of trainer_of_transformers.py.
    config = {
        "model_type": "llama", "vocab_size": 128, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 32, "tie_word_embeddings": False}
    layout = {name: answer["recognised"]["layout"][name] for name in ("zero", "recompute")}
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "config.json").write_text(json.dumps(config))
        alone = ndsim.predict(
            model=f"{folder}/config.json", machine="dgx-h100", gpus=2, dp=2, micro_batch=4, global_batch=8, sequence=32, precision="bf16",
            framework="torch", fusion="eager", flash_version=2, **layout)
    rows = {row["what"]: row for row in answer["against"]["rows"]}
    assert rows["step"]["run"] == answer["step_seconds"] and answer["against"]["why_not"] is None
    names = {"step": "step_seconds", "tokens per second": "tokens_per_second"}
    return [what for what, name in names.items() if rows[what]["train"] != alone[name]]


def test_a_model_of_transformers_is_recognised_in_a_loop_of_ones_own(losses):
    _, answer = losses("own_loop", options=["--hollow"])
    assert told(answer, "dp", "zero", "reshard_after_forward", "precision", "recompute", "micro_batch", "global_batch", "sequence") == (
        "PyTorch", [], 2, 3, True, "bf16", "full", 3, 12, 32)
    assert answer["recognised"]["beside"] == ["Transformers"] and answer["tokens_per_step"] == 12 * 32


def test_accelerate_trains_as_on_the_host(losses, losses_on_the_host):
    found, answer = losses("accelerated")
    assert told(answer, "dp", "zero", "precision") == (
        "Accelerate", ["micro_batch", "global_batch", "sequence", "recompute", "model", "tokens_per_step"], 2, 0, "fp32")
    assert found == losses_on_the_host("accelerated", "--cpu") and len(found) == 4


@pytest.mark.parametrize("what", ["trainer", "fabric"])
def test_lightning_trains_as_on_the_host(losses, losses_on_the_host, what):
    found, answer = losses("lightning_trainer", "--with", what)
    batch = ("Lightning", 4, 8) if what == "trainer" else ("Fabric", None, None)
    name, _, dp, zero, precision, *sizes = told(answer, "dp", "zero", "precision", "micro_batch", "global_batch")
    assert ((name, *sizes), dp, zero, precision) == (batch, 2, 0, "fp32")
    assert found == losses_on_the_host("lightning_trainer", "--with", what, "--accelerator", "cpu") and len(found) >= 6


@pytest.mark.parametrize("more", [["--stage", "1"], ["--stage", "3"], ["--stage", "2", "--offload"]], ids=" ".join)
def test_deepspeed_trains_as_plain_pytorch_with_its_own_optimizers(losses, losses_on_the_host, more):
    found, answer = losses("zero", *more, options=["--explain-cost"])
    assert found == pytest.approx(losses_on_the_host("zero", "--plain"), rel=1e-6) and len(found) == 5
    stage, offload = int(more[1]), True if "--offload" in more else None
    assert told(answer, "zero", "micro_batch", "global_batch", "offload_optimizer", "optimizer") == (
        "DeepSpeed", ["sequence", "recompute", "model", "tokens_per_step"], stage, 4, 8, offload, "adam")
    fused = [row for row in answer["operators"] if row["operator"] == "multi_tensor_adam"]
    assert bool(fused) == ("--offload" not in more)
    assert not [row["operator"] for row in answer["operators"] if row["guessed"]]


def test_megatron_with_stand_ins_for_transformer_engine_trains_as_its_own_layers_on_the_host(losses, losses_on_the_host):
    found, answer = losses("gpt_of_megatron", "--tp", 2, "--sequence-parallel", options=["--explain-cost"])
    assert found == losses_on_the_host("gpt_of_megatron", "--tp", 2, "--cpu") and len(found) == 6
    assert told(answer, "tp", "dp", "sequence_parallel", "micro_batch", "global_batch", "sequence") == (
        "Megatron Core", [], 2, 1, True, 2, 4, 32)
    assert {"transformer_engine", "fused_weight_gradient_mlp_cuda"} <= set(answer["stand_ins"])
    assert not [row["operator"] for row in answer["operators"] if row["guessed"]]


def test_megatron_trains_hollow_in_the_time_and_memory_of_the_real_run_with_pipeline_and_distributed_optimizer(losses):
    words = ("gpt_of_megatron", "--tp", 1, "--pp", 2, "--optimizer", "adam")
    (found, real), (none, hollow) = losses(*words), losses(*words, options=["--hollow"])
    assert len(found) == 6 and none == []
    for answer in (real, hollow):
        assert told(answer, "pp", "schedule", "zero", "micro_batch", "global_batch") == ("Megatron Core", [], 2, "1f1b", 1, 2, 4)
        assert answer["tokens_per_step"] == 4 * 32
    for key in ("timeline_sha256", "step_seconds", "memory"):
        assert hollow[key] == real[key]
