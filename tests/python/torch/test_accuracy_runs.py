"""The published PyTorch runs that tools/torch_accuracy.py repeats: the list, their command lines, and its table."""

import importlib.util
import json
import pathlib
import sys

import pytest

pytest.importorskip("torch")

ROOT = pathlib.Path(__file__).resolve().parents[3]


def load(file):
    spec = importlib.util.spec_from_file_location(pathlib.Path(file).stem, ROOT / file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = load("tools/torch_accuracy.py")
SETS, RECORDS = tool.read_sets(), tool.read_records()
RUNS = [(chosen, name, more) for chosen in SETS for name, more in tool.runs_of(chosen, RECORDS).items()]


def options_of(words, monkeypatch):
    """The arguments of a command line as train_llm.py parses them."""
    monkeypatch.syspath_prepend(str(ROOT / "docs/pytorch"))
    monkeypatch.setattr(sys, "argv", words[words.index("docs/pytorch/train_llm.py"):])
    return load("docs/pytorch/train_llm.py").read_options()[1]


def test_each_record_of_a_set_is_run_or_said_to_be_left_out():
    for chosen in SETS:
        known = {name for name, record in RECORDS.items() if record["set"] == chosen["name"]}
        runs, left_out = set(tool.runs_of(chosen, RECORDS)), set(chosen.get("left_out", {}))
        assert runs | left_out == known
        assert not runs & left_out


def test_a_command_line_is_accepted_by_the_script_and_says_what_the_record_says(monkeypatch):
    for chosen, name, more in RUNS:
        record = RECORDS[name]
        options = options_of(tool.command(chosen, more, record), monkeypatch)
        ranks = record["layout"]["gpus"]
        assert options.layers == record["model"]["layers"]
        assert options.sequence == record["model"]["seq"]
        assert options.micro_batch == (record["layout"]["mbs"] or options.micro_batch)
        assert options.global_batch == (record["layout"]["gbs"] or options.global_batch)
        assert options.global_batch % (ranks * options.micro_batch) == 0
        assert options.recompute == record["recompute"].partition(" ")[0]
        assert options.precision == "bf16"
        assert (options.attention == "flash") == bool(record["flash_attention"])
        assert options.heads % options.kv_heads == options.hidden % options.heads == 0


def test_a_parameter_count_is_the_published_one(monkeypatch):
    for chosen, name, more in RUNS:
        model = RECORDS[name]["model"]
        options = options_of(tool.command(chosen, more, RECORDS[name]), monkeypatch)
        keys = options.hidden // options.heads * options.kv_heads
        mlp = (3 if options.arch == "llama" else 2) * options.hidden * options.ffn
        blocks = options.layers * (2 * options.hidden**2 + 2 * options.hidden * keys + mlp)
        ends = options.vocab * options.hidden * (1 if options.tied else 2)
        if options.arch == "gpt":
            ends += options.sequence * options.hidden
        assert (blocks + ends) / 1e9 == pytest.approx(model["params_b"], rel=0.06), name


def test_attention_costs_what_the_runs_version_took():
    versions = {name: tool.flash_version(chosen, RECORDS[name]) for chosen, name, _ in RUNS if RECORDS[name]["flash_attention"]}
    assert {versions[name] for name in versions if name.startswith("mosaic")} == {1}
    assert (versions["fa2-t1-0002"], versions["fa2-t1-0003"], versions["torchtitan-0001"]) == (1, 2, 2)
    assert "fa2-t1-0001" not in versions and "fsdp-paper-0001" not in versions


@pytest.mark.parametrize("name", ["mosaic-h100-0039", "mosaic-a100-80-0061", "fa2-t1-0008"])
def test_a_run_still_takes_what_is_committed(name):
    [(chosen, more)] = [(chosen, more) for chosen, each, more in RUNS if each == name]
    again = tool.run(tool.command(chosen, more, RECORDS[name]), chosen.get("environment", {}))
    assert again == json.loads(tool.RESULTS.read_text())[name]


def test_the_error_of_a_script_stands_beside_that_of_ndsim_train():
    predicted = {"torchtitan-0001": {"measured_iter_s": 2.0, "error": 0.25}, "fsdp-paper-0001": {"measured_iter_s": 10.0, "error": -0.1}}
    results = {"torchtitan-0001": {"step_seconds": 1.5}, "fsdp-paper-0001": {"fault": "out of memory"}}
    assert tool.errors(results, predicted) == {"torchtitan-0001": (-0.25, 0.25)}
    text = tool.table(SETS, RECORDS, results, predicted)
    assert "  TORCHTITAN          1     25.0%    -25.0%        25.0%    +25.0%\n" in text
    assert "  fsdp-paper-0001: out of memory\n" in text


def test_a_run_that_failed_is_told_where_there_is_no_other():
    assert tool.table(SETS, RECORDS, {"torchtitan-0001": {"fault": "why"}}, {}) == (
        "no run has a result yet\n\nNot run to the end:\n  torchtitan-0001: why\n"
    )
