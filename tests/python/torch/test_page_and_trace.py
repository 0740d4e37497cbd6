"""A run's page and traces contain its answer: the same numbers as --json, the same words as the text."""

import gzip
import json
import re

import pytest

TRAIN = """
    import os, torch
    import torch.distributed as dist
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(512, 512).cuda())
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(5):
        model(torch.ones(64, 512, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
"""


def shown(tmp_path, name="run.html"):
    """The verdict at the top of a page."""
    text = re.search(r'id="verdict">(.*?)</script>', (tmp_path / name).read_text(), re.S)[1]
    return json.loads(text)


def said_by(trace):
    return trace["otherData"]["answer"]


def without_computer(run):
    """Drops everything about the computer that simulated and about other runs, which traces do not contain."""
    rows = [{key: value for key, value in row.items() if key != "pid"} for row in run["per_rank"]]
    return {**{key: value for key, value in run.items() if key not in ("wall_seconds", "earlier_runs")}, "per_rank": rows}


def at(answer, place):
    for key in place.split("/")[1:]:
        answer = answer[int(key)] if isinstance(answer, list) else answer[key]
    return answer


def cells_of(section):
    yield from section["figures"].values()
    for table in section["tables"].values():
        for row in table["rows"]:
            yield from row.values()


def texts_of(section, table):
    return [[row[column]["text"] for column in each["columns"]] for each in [section["tables"][table]] for row in each["rows"]]


@pytest.fixture
def written(answer, tmp_path):
    """The object and the page of a run in which two ranks train for five steps."""
    run = answer(TRAIN, "--nproc", 2, "--report", "run.html", "--trace", "run.json")
    return run, shown(tmp_path)["sections"]


def test_every_number_of_a_page_stands_in_the_answer(written):
    run, sections = written
    assert list(sections) == ["verdict", "budget", "memory", "advice", "recognised", "ranks"]
    cells = [cell for section in sections.values() for cell in cells_of(section) if cell["same_as"] is not None]
    assert len(cells) > 30
    assert [cell["value"] for cell in cells] == [at(run, cell["same_as"]) for cell in cells]
    # All others are words, and shares of the amounts next to them.
    others = {name for section in sections.values() for table in section["tables"].values() for row in table["rows"]
              for name, cell in row.items() if cell["same_as"] is None}
    assert others == {"key", "mark", "what", "share", "change", "why"}


def test_a_page_has_the_parts_of_the_step_and_of_memory_that_take_any(written):
    run, sections = written
    budget, memory = (sections[name]["tables"]["parts"]["rows"] for name in ("budget", "memory"))
    parts = {part: seconds for part, seconds in run["step_breakdown"].items() if seconds}
    assert {row["key"]["text"]: row["amount"]["value"] for row in budget} == parts
    assert sum(row["share"]["value"] for row in budget) == pytest.approx(1, rel=1e-12)
    # Weights of 512 x 512 numbers and a bias, in fp32; Adam keeps two of each.
    weights = 4 * (512 * 512 + 512)
    held = {row["key"]["text"]: row["amount"]["value"] for row in memory}
    assert [held[kind] for kind in ("parameters", "gradients", "optimizer")] == [weights, weights, 2 * weights]
    assert sum(held.values()) == run["memory"]["reserved"]
    assert (sections["budget"]["bar"], sections["memory"]["bar"]) == ("parts", "parts")


def test_a_page_says_what_the_text_says(script, tmp_path):
    text = script(TRAIN, "--nproc", 2, "--report", "run.html").stdout
    sections = shown(tmp_path)["sections"]
    assert [line for line in text.splitlines() if line in sections["verdict"]["said"]] == sections["verdict"]["said"]
    for mark, what, amount, share in texts_of(sections["budget"], "parts") + texts_of(sections["memory"], "parts"):
        assert re.search(f"^  {re.escape(mark)}  {what} +{re.escape(amount)} +{share}$", text, re.M), what
    for change, option, _ in texts_of(sections["advice"], "changes"):
        assert f"  {change:<46}{option}\n" in text
    for figure in sections["verdict"]["figures"].values():
        assert figure["text"] in text and (figure["how"] in text or figure["name"] == "simulated time"), figure
    assert sections["recognised"]["said"] == ["framework: none was recognised: plain PyTorch"]


def test_a_trace_carries_the_answer(written, tmp_path):
    run, _ = written
    assert said_by(json.loads((tmp_path / "run.json").read_text())) == without_computer(run)


def test_each_measured_step_is_a_span_of_its_rank(written, tmp_path):
    run, _ = written
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    for row in run["per_rank"]:
        steps = [event for event in events if event.get("cat") == "step" and event["pid"] == row["rank"]]
        assert [step["name"] for step in steps] == ["step 3", "step 4", "step 5"]
        lasts = [step["args"]["dur_ps"] for step in steps]
        assert sum(lasts) / 3 / 1e12 == row["step_seconds"]
        begins = [step["args"]["ps"] for step in steps]
        assert begins[1:] == [begin + last for begin, last in zip(begins, lasts)][:-1]


def test_a_run_writes_the_same_trace_again(script, tmp_path):
    for name in ("one.json", "two.json"):
        assert script(TRAIN, "--nproc", 2, "--trace", name).returncode == 0
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_a_trace_as_of_the_profiler_has_both_too(answer, tmp_path):
    run = answer(TRAIN, "--nproc", 2, "--trace", "folder/")
    trace = json.loads(gzip.decompress((tmp_path / "folder" / "rank_1.json.gz").read_bytes()))
    assert trace["ndsim_answer"] == without_computer(run)
    steps = [event["name"] for event in trace["traceEvents"] if event.get("cat") == "user_annotation"]
    assert steps == ["ProfilerStep#0", "step 3", "step 4", "step 5"]


def test_ranks_that_stand_for_others_have_their_steps_and_say_for_how_many(answer, tmp_path):
    run = answer(TRAIN, "--nproc", 8, "--fold", 2, "--report", "run.html", "--trace", "run.json")
    sections = shown(tmp_path)["sections"]
    assert sections["verdict"]["said"][0] == "train.py on 8 x H100-SXM-80GB (dgx-h100), of which 2 ran for all"
    assert [row[:2] for row in texts_of(sections["ranks"], "ranks")] == [["0", "4"], ["1", "4"]]
    trace = json.loads((tmp_path / "run.json").read_text())
    assert {event["pid"] for event in trace["traceEvents"] if event.get("cat") == "step"} == {0, 1}
    assert said_by(trace)["ranks"] == run["ranks"] == 8


def test_a_run_without_steps_shows_the_time_of_the_run(answer, tmp_path):
    run = answer("import torch; torch.ones(1024, device='cuda') * 2", "--nproc", 1, "--report", "run.html", "--trace", "run.json")
    sections = shown(tmp_path)["sections"]
    assert list(sections) == ["verdict", "budget", "recognised", "ranks"]
    assert sections["verdict"]["said"][1] == "What limits: not known without two steps of an optimizer"
    assert "/step_seconds" not in sections["verdict"]["figures"]
    assert {row["key"]["text"]: row["amount"]["value"] for row in sections["budget"]["tables"]["parts"]["rows"]} == run["breakdown"]
    assert not [event for event in json.loads((tmp_path / "run.json").read_text())["traceEvents"] if event.get("cat") == "step"]


def test_a_run_that_failed_has_its_fault_in_the_trace_and_no_verdict(answer, tmp_path):
    text = TRAIN + "    if dist.get_rank() == 1: raise ValueError('enough')\n"
    run = answer(text, "--nproc", 2, "--report", "run.html", "--trace", "run.json", code=4)
    assert shown(tmp_path) is None
    trace = json.loads((tmp_path / "run.json").read_text())
    assert (trace["partial"], said_by(trace)["fault"]) == (True, run["fault"])


def test_made_up_numbers_are_on_the_page_of_a_hollow_run(answer, tmp_path):
    text = "import torch; x = torch.randn(1 << 20, device='cuda'); print((x > 0).sum().item() > 3)"
    run = answer(text, "--nproc", 1, "--hollow", "--report", "run.html")
    (row,) = run["made_up"]
    assert texts_of(shown(tmp_path)["sections"]["made_up"], "values") == [[row["line"], row["what"], "1"]]
