"""A run ends with its time budget: as text, as JSON, as a trace, a page and a timeline."""

import json
import pathlib
import re

import pytest
from ndsim._ndsim import bytes_text, percent_text, time_text
from ndsim.torchrun.answer.answers import file_of_run
from ndsim.torchrun.script.steps import steady_seconds

TRAIN = """
    import time, torch
    model = torch.nn.Linear(4, 4).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        time.sleep(2.0 if step == 0 else 0.5)
        model(torch.ones(2, 4, device="cuda")).sum().backward()
        optimizer.step()
    print("trained")
"""


def test_the_answer_is_one_object_on_standard_output(script):
    done = script(TRAIN, "--nproc", 2, "--json", "--machine", "dgx-a100")
    run = json.loads(done.stdout)
    assert sorted(done.stderr.splitlines()) == ["trained", "trained"]
    assert (run["command"], run["script"], run["machine"]) == ("torchrun", "train.py", "dgx-a100")
    assert (run["ranks"], run["steps"], run["fault"]) == (2, 4, None)
    assert run["step_seconds"] == pytest.approx(0.5, rel=1e-3)
    assert run["memory"]["capacity"] > 40e9


def test_a_run_ends_when_the_last_host_has_ended(answer):
    run = answer("import os, time; time.sleep(0.25 * (1 + int(os.environ['RANK'])))", "--nproc", 2)
    assert run["simulated_seconds"] == 0.5
    assert [rank["idle_seconds"] for rank in run["per_rank"]] == [0.5, 0.5]


def test_the_times_of_a_rank_add_up_to_those_of_the_run(answer):
    run = answer(TRAIN, "--nproc", 2)
    for rank in run["per_rank"]:
        parts = rank["compute_seconds"] + rank["communication_seconds"] + rank["idle_seconds"]
        assert parts == pytest.approx(run["simulated_seconds"], rel=1e-12)
    assert sum(run["breakdown"].values()) == pytest.approx(run["simulated_seconds"], rel=1e-12)


def test_the_memory_of_the_fullest_rank_is_that_of_the_run(answer):
    run = answer(
        """
        import os, torch
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        for _ in range(2):
            torch.empty(3 << (20 + torch.cuda.current_device()), dtype=torch.uint8, device="cuda")
        """,
        "--nproc",
        2,
    )
    # 3 and 6 MiB, each in a segment of 20 MiB.
    assert [row["allocated_bytes"] for row in run["per_rank"]] == [3 << 20, 6 << 20]
    assert [row["reserved_bytes"] for row in run["per_rank"]] == [20 << 20, 20 << 20]
    kinds = dict.fromkeys(("parameters", "gradients", "optimizer", "buffers", "other", "activations"))
    assert run["memory"] == {"capacity": 84929347584, "allocated": 6 << 20, "reserved": 20 << 20, "fullest_rank": 1, **kinds, "cached": 14 << 20}


def test_the_bill_of_operators_is_in_the_answer(answer):
    operators = answer(TRAIN, "--nproc", 2, "--explain-cost")["operators"]
    assert {row["operator"] for row in operators} >= {"addmm", "sum", "mm"}
    assert {row["count"] for row in operators if row["operator"] == "addmm"} == {4}


def test_the_bill_of_operators_is_a_table_for_people(script):
    text = """
        import torch
        a = torch.ones(1024, 1024, device="cuda")
        for _ in range(3):
            a @ a
    """
    lines = script(text, "--nproc", 1, "--explain-cost").stdout.partition("Operators of rank 0\n")[2].splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [["operator", "count"], ["mm", "3"], ["fill", "1"]]
    assert "matrix product fp32, " in lines[1]
    assert lines[1].endswith("% of peak")


def test_the_timeline_is_the_same_in_every_run(answer):
    assert len({answer(TRAIN, "--nproc", 3)["timeline_sha256"] for _ in range(3)}) == 1


def test_steps_are_counted_by_optimizer_even_where_one_takes_the_place_of_another(answer):
    # The first is dead when the second is created, which then reuses its address.
    text = """
    import time, torch
    parameter = torch.nn.Parameter(torch.ones(4))
    for seconds in (0.5, 0.25, 0.125):
        optimizer = torch.optim.SGD([parameter], lr=0.1)
        for step in range(3):
            time.sleep(seconds)
            optimizer.step()
        del optimizer
    """
    run = answer(text, "--nproc", 1)
    assert (run["steps"], run["step_seconds"]) == (3, pytest.approx(0.5, rel=1e-3))


def test_the_summary_follows_what_the_script_prints(script):
    done = script(TRAIN, "--nproc", 2)
    lines = done.stdout.splitlines()
    assert lines[:4] == ["trained", "trained", "", "train.py on 2 x H100-SXM-80GB (dgx-h100)"]
    (step,) = [line for line in lines if line.startswith("  step  ")]
    assert re.fullmatch(r"  step            500\.\d ms, the mean of the last 2 of 4 steps of the optimizer", step)
    assert done.stderr == ""


def test_a_fault_is_in_the_answer(answer):
    run = answer("import os; os.environ['RANK'] == '1' and 1 / 0", "--nproc", 2, code=4)
    assert (run["fault"]["kind"], run["fault"]["rank"]) == ("RankDied", 1)
    assert "ZeroDivisionError" in run["fault"]["message"]


def test_traces_pages_and_timelines_are_written(script, tmp_path):
    done = script(TRAIN, "--nproc", 2, "--trace", "run.json", "--report", "run.html", "--timeline")
    assert done.returncode == 0
    assert json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    assert "<html" in (tmp_path / "run.html").read_text()
    assert "train.py: 2 ranks" in done.stdout


def test_a_trace_shows_what_the_gpu_holds_with_the_lines_that_took_it(script, tmp_path):
    text = """
        import torch
        weights = torch.ones(1 << 20, device="cuda")
        for _ in range(2):
            doubled = 2 * weights
            del doubled
    """
    assert script(text, "--nproc", 1, "--trace", "run.json").returncode == 0
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    counted = [(event["exact"]["label"], event["args"]["in use"]) for event in events if event["ph"] == "C"]
    one, two = 4 << 20, 8 << 20
    again = [("train.py:4", two), ("freed", one)]
    assert counted == [("train.py:2", one), *again, *again, ("freed", 0)]


def test_later_runs_of_a_script_have_their_own_files(script, tmp_path):
    text = "import torch.multiprocessing as mp\nfor size in (1, 2): mp.spawn(print, nprocs=size)"
    assert script(text, "--trace", "run.json").returncode == 0
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run-2.json", "run.json"]
    assert file_of_run("a/run.json.gz", 3) == "a/run-3.json.gz"


def test_a_step_is_the_mean_from_step_to_step_after_the_first():
    second = 10**12
    assert steady_seconds([]) is None
    assert steady_seconds([second]) is None
    assert steady_seconds([second, 4 * second]) == 3.0
    assert steady_seconds([9 * second, 10 * second, 12 * second, 14 * second]) == 2.0


def test_amounts_are_printed_as_the_commands_print_them():
    assert [time_text(value) for value in (0, 1.5e-7, 0.0032125, 12)] == ["0 us", "0.150 us", "3.212 ms", "12.00 s"]
    assert [bytes_text(value) for value in (0, 512, 84929347584)] == ["0 B", "512.0 B", "84.93 GB"]
    assert percent_text(1 / 3) == "33.3 %"


TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict, "array": list, "null": type(None)}


def complaints(value, schema, where):
    """Violations of a schema by a value, for the parts of JSON Schema that the schemas of results use."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    is_bool = isinstance(value, bool)
    if not any(isinstance(value, TYPES[kind]) and is_bool == (kind == "boolean") for kind in kinds):
        return [f"{where} is no {kinds}"]
    if isinstance(value, list):
        return [each for i, one in enumerate(value) for each in complaints(one, schema["items"], f"{where}[{i}]")]
    if not isinstance(value, dict) or "properties" not in schema:
        return []
    known = schema["properties"]
    found = [f"{where}.{key} is missing" for key in schema["required"] if key not in value]
    found += [f"{where}.{key} is not described" for key in value if key not in known]
    return found + [each for key in value if key in known for each in complaints(value[key], known[key], f"{where}.{key}")]


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (TRAIN, ["--nproc", 2, "--explain-cost"], 0),
        ("import torch.multiprocessing as mp\nfor _ in range(2): mp.spawn(print, nprocs=2)", [], 0),
        ("raise ValueError('enough')", ["--nproc", 2], 4),
    ],
    ids=["bill", "several", "fault"],
)
def test_every_key_is_described_by_the_schema(answer, text, options, code):
    schema = json.loads((pathlib.Path(__file__).resolve().parents[3] / "tools/schemas/torchrun.schema.json").read_text())
    run = answer(text, *options, code=code)
    for each in [run, *run["earlier_runs"]]:
        assert complaints(each, schema, "run") == []
    printed = {key for key in run} | {"operators", "against"}
    assert printed == set(schema["properties"])


def test_the_answer_that_the_page_is_tried_with_is_one():
    sources = pathlib.Path(__file__).resolve().parents[3]
    schema = json.loads((sources / "tools/schemas/torchrun.schema.json").read_text())
    assert complaints(json.loads((sources / "tests/page/torchrun.json").read_text()), schema, "run") == []
