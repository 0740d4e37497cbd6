"""The published runs that tools/framework_accuracy.py repeats with the frameworks' own scripts: command lines, results and table."""

import base64
import importlib.util
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]


def load(file):
    spec = importlib.util.spec_from_file_location(pathlib.Path(file).stem, ROOT / file)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(spec.name, module)
    spec.loader.exec_module(module)
    return module


tool = load("tools/framework_accuracy.py")
SETS, RECORDS = tool.read_sets(), tool.scripts.read_records()
RUNS = {name: chosen for chosen in SETS for name in chosen["runs"]}
RESULTS = json.loads(tool.RESULTS.read_text())


def test_each_of_torchtitans_records_is_run_or_said_to_be_left_out():
    known = {name for name, record in RECORDS.items() if record["set"] == "TORCHTITAN"}
    left_out = {name for chosen in SETS for name in chosen.get("left_out", {})}
    assert {name for name in RUNS if name in RECORDS and RECORDS[name]["set"] == "TORCHTITAN"} | left_out == known
    assert not left_out & set(RUNS)


def test_each_run_has_a_result_and_each_result_a_run():
    assert set(RESULTS) == set(RUNS)


def test_a_fold_divides_the_ranks_and_holds_those_that_differ():
    for name, chosen in RUNS.items():
        if name in RECORDS:
            layout, fold = RECORDS[name]["layout"], chosen["runs"][name].get("fold", 1)
            assert layout["gpus"] % fold == 0
            assert fold == layout["tp"] * layout["cp"] * layout["pp"]


def test_a_command_line_runs_the_script_of_the_set_with_its_arguments_and_those_of_the_run():
    chosen = {"script": "train.py", "machine": "dgx-h100", "arguments": "--texts {inputs}/texts", "runs": {"one": {"ranks": 16, "arguments": "--more"}}}
    words = "python3 -m ndsim.torchrun --machine dgx-h100 --nproc 16 --fold 1 --hollow --json --flash-attention 2 train.py --texts /in/texts --more"
    assert tool.command(chosen, "one", RECORDS, pathlib.Path("/in")) == words.split()


def test_a_run_of_no_record_says_what_was_measured():
    chosen = {"runs": {"one": {"tokens": 16384, "tokens_s_gpu": 8192, "memory_gib": 50}}}
    assert tool.measured(chosen, "one", RECORDS) == (2.0, 50)


def test_the_mean_error_of_a_set_counts_every_run_alike():
    assert tool.mean_of("set", [0.1, -0.3]) == "  set: 2 runs, mean error 20.0%, bias -10.0%, worst -30.0%\n"


def test_a_tokenizer_has_as_many_different_tokens_as_are_asked_for(tmp_path):
    tool.write_tokenizer(tmp_path / "tokenizer.model", 5000)
    lines = [line.split() for line in (tmp_path / "tokenizer.model").read_bytes().splitlines()]
    assert [int(rank) for _, rank in lines] == list(range(5000))
    assert len({base64.b64decode(word) for word, _ in lines}) == 5000


def test_the_page_has_the_table_of_the_results():
    page = tool.scripts.PAGE.read_text()
    assert tool.BEGIN + "```text\n" + tool.table(SETS, RECORDS, RESULTS) + "```\n" + tool.END in page
