"""Tokens per second, cost and range follow from the step; a prediction for the recognised layout appears next to the run."""

import dataclasses
import importlib.util
import json
import math
import os
import pathlib
import shlex
import subprocess

import ndsim
import pytest
from ndsim.torchrun.answer.against import against_of, layout_options
from ndsim.torchrun.answer.figures import Figures, figures_of, keys_of, lines_of, money
from ndsim.torchrun.answer.axes import by_axis
from ndsim.torchrun.answer.measured import Measured, parts_of_step
from ndsim.torchrun.answer.measured_spread import SPREAD
from ndsim.torchrun.answer.steady import COMPUTING, Communication, SteadyStep
from ndsim.torchrun.options import Options
from ndsim.torchrun.recognised.value import Layout, Model, Recognised, json_model

LLAMA = {
    "model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_attention_heads": 16, "num_hidden_layers": 4,
    "num_key_value_heads": 4, "vocab_size": 32000, "max_position_embeddings": 2048, "tie_word_embeddings": False,
}
LAYOUT = Layout(dp=16, zero=3, micro_batch=2, global_batch=64, sequence=2048, precision="bf16", reshard_after_forward=True)
KNOWN = Recognised("Transformers", "5", (), LAYOUT, Model("config.json", json.dumps(LLAMA)), 64 * 2048)
MEASURED = Measured(0.5, {"compute": 0.3, "data": 0.15, "idle": 0.05}, 20 * 10**9, 30 * 10**9, 80 * 10**9, 16, 8)


def test_figures_follow_from_the_step():
    keys = keys_of(Figures(step_seconds=0.5, ranks=16, tokens_per_step=131072, usd_per_gpu_hour=6.75, spread=math.log(1.25)))
    assert (keys["step_seconds_low"], keys["step_seconds_high"]) == (pytest.approx(0.4), pytest.approx(0.625))
    assert (keys["tokens_per_second"], keys["tokens_per_second_per_gpu"]) == (262144, 16384)
    # 16 GPUs for half a second.
    assert keys["cost"]["usd_per_step"] == pytest.approx(0.015)
    assert keys["cost"]["usd_per_million_tokens"] == pytest.approx(0.015 / 0.131072)
    assert keys["cost"]["usd_per_billion_tokens"] == pytest.approx(15 / 0.131072)


def test_what_is_not_known_is_null():
    keys = keys_of(Figures(step_seconds=None, ranks=2, tokens_per_step=None, usd_per_gpu_hour=None, spread=None))
    assert {value for name, value in keys.items() if name != "cost"} | set(keys["cost"].values()) == {None}
    assert lines_of(Figures(0.5, 2, None, None, None)) == []


def test_price_and_range_are_the_machines():
    h100, mi350x = (figures_of(Options(machine=name), 1.0, 8, None) for name in ("dgx-h100", "mi350x-8"))
    assert (h100.usd_per_gpu_hour, h100.spread) == (ndsim.hardware("dgx-h100")["usd_per_gpu_hour"], SPREAD["hopper"])
    assert (mi350x.usd_per_gpu_hour, mi350x.spread) == (None, None)
    # No measured script had experts.
    experts = dataclasses.replace(KNOWN, model=json_model({"num_local_experts": 8}))
    assert figures_of(Options(machine="dgx-h100"), 1.0, 8, experts).spread is None


def test_small_amounts_of_money_keep_three_digits():
    assert [money(usd) for usd in (1234.5, 1.5, 0.1596, 0.00004085)] == ["$1,234.50", "$1.50", "$0.160", "$0.0000408"]


def test_the_range_is_that_of_the_published_runs():
    file = pathlib.Path(__file__).resolve().parents[3] / "tools/torch_accuracy.py"
    spec = importlib.util.spec_from_file_location("torch_accuracy", file)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    tool.BUILD = pathlib.Path(os.environ["NDSIM_BIN_DIR"]).parent
    results = json.loads(tool.RESULTS.read_text())
    assert tool.spreads(tool.read_sets(), tool.read_records(), results, tool.predictions()) == SPREAD
    # With 8 of 10 equal weights, the 8th; with 9 of 10 of the weight of two sets, the last one of the larger set.
    tenths = [math.expm1(0.01 * size) for size in range(1, 11)]
    assert tool.spread_of({"a": tenths}) == pytest.approx(0.08)
    assert tool.spread_of({"a": tenths, "b": [math.expm1(0.3)]}) == pytest.approx(0.3)


def test_against_train_is_the_prediction_of_the_same_options(tmp_path):
    figures = Figures(0.5, 16, KNOWN.tokens_per_step, None, None)
    found = against_of(Options(machine="dgx-h100"), KNOWN, figures, MEASURED)
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    alone = ndsim.predict(
        model=str(tmp_path / "config.json"), machine="dgx-h100", gpus=16, dp=16, zero=3, micro_batch=2, global_batch=64, sequence=2048,
        precision="bf16", framework="torch", fusion="eager", flash_version=2)
    rows = {row.what: (row.run, row.train, row.ratio) for row in found.rows}
    assert rows["step"] == (0.5, alone["step_seconds"], 0.5 / alone["step_seconds"])
    assert rows["tokens per second"][:2] == (262144, alone["tokens_per_second"])
    stage, parts = alone["memory"]["stages"][0], alone["breakdown"]
    assert rows["memory allocated"][:2] == (20 * 10**9, stage["total"] - stage["reserve"])
    assert rows["compute"][:2] == (0.3, parts["compute"] + parts["recompute"])
    assert rows["data"][:2] == (0.15, pytest.approx(parts["data"]))
    # The command does the same in a terminal.
    binary = os.path.join(os.environ["NDSIM_BIN_DIR"], "ndsim")
    words = found.command.replace("&& ndsim ", f"&& {shlex.quote(binary)} ") + " --json"
    printed = subprocess.run(["bash", "-c", words], cwd=tmp_path, stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(printed)["step_seconds"] == alone["step_seconds"]


def test_parts_by_category_are_held_against_the_same_categories():
    measured = Measured(0.5, {"compute": 0.3, "data": 0.15, "overhead": 0.05}, 1, 1, 80 * 10**9, 16, 8)
    found = against_of(Options(machine="dgx-h100"), KNOWN, Figures(0.5, 16, None, None, None), measured)
    assert [row.what for row in found.rows] == ["step", "memory allocated", "compute", "data", "overhead"]


def test_without_a_whole_layout_one_line_says_what_is_missing():
    figures = Figures(0.5, 16, None, None, None)
    half = Recognised("DeepSpeed", None, (), Layout(dp=16, zero=2, micro_batch=2, global_batch=32, precision="bf16"), None, None)
    assert against_of(Options(), half, figures, MEASURED).why_not == "DeepSpeed did not tell: sequence, model"
    assert against_of(Options(), None, figures, MEASURED).command is None
    odd = Recognised("Transformers", None, (), Layout(dp=16, tp=3, zero=0, micro_batch=2, global_batch=32, sequence=8, precision="bf16"),
                     KNOWN.model, None)
    assert against_of(Options(), odd, figures, MEASURED).why_not.startswith("ndsim train refuses it: ")


def test_a_layout_is_said_in_the_options_of_ndsim_train():
    assert layout_options(Layout(dp=1, zero=1, overlap_parameters=True, sequence_parallel=False)) == {
        "dp": 1, "zero": 0, "framework": "torch", "fusion": "eager", "sequence_parallel": "off", "overlap_parameters": "on"}


def test_what_a_run_cannot_be_held_against_is_refused(command):
    done = command("--against", "plan", "x.py")
    assert (done.returncode, done.stderr) == (2, "ndsim.torchrun: --against plan must be train\n")


def test_communication_is_that_of_an_axis_where_its_groups_tell():
    layout = Layout(dp=16, tp=4, pp=2, zero=1)
    rows = [("all_gather", 4, False, 1.0), ("reduce_scatter", 16, True, 2.0), ("broadcast", 2, True, 4.0), ("all_reduce", 128, True, 8.0)]
    assert by_axis(rows, layout, 8) == {"tensor": 1.0, "data": 2.0, "pipeline": 4.0, "communication": 8.0}
    # Groups of equal size can be told apart only by whether they span nodes.
    alike = Layout(dp=8, tp=8, zero=1)
    assert by_axis([("all_gather", 8, False, 1.0), ("all_gather", 8, True, 2.0)], alike, 8) == {"tensor": 1.0, "data": 2.0}
    assert by_axis([("all_gather", 2, False, 1.0)], Layout(dp=2, tp=2, zero=1), 8) == {"communication": 1.0}
    assert by_axis([("all_to_all", 8, True, 1.0)], Layout(dp=8, ep=8, zero=1), 8) == {"expert": 1.0}


def test_the_mean_step_is_told_by_axes_of_the_layout():
    parts = {**dict.fromkeys(COMPUTING, 0.0), "products": 0.2, "copies": 0.05, "optimizer": 0.05, "communication": 0.15, "idle": 0.05}
    of_kinds = {Communication("all_gather", 16, True): 0.1, Communication("reduce_scatter", 16, True): 0.05}
    step = SteadyStep(0.5, parts, of_kinds, 0.0, 0.0, 0.0, 0.0)
    measured = parts_of_step(step, LAYOUT, 8)
    assert measured == {"compute": 0.25, "optimizer": 0.05, "data": pytest.approx(0.15), "idle": 0.05}
    found = against_of(Options(machine="dgx-h100"), KNOWN, Figures(0.5, 16, None, None, None), dataclasses.replace(MEASURED, parts=measured))
    assert [row.what for row in found.rows] == ["step", "memory allocated", "compute", "optimizer", "data", "idle"]
