"""torch.profiler shows the work of simulated GPUs: each kernel with its time, stream and operator."""

import json

import pytest

BEGIN = """
import json, torch
from torch.profiler import ProfilerActivity, profile
on = dict(device="cuda")
BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def microseconds(call):
    # Keeps the stream busy until the host has launched the rest.
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(1_000_000)
    begin.record()
    call()
    end.record()
    end.synchronize()
    return 1e3 * begin.elapsed_time(end)


def kernels(prof):
    prof.export_chrome_trace("trace.json")
    events = json.load(open("trace.json"))["traceEvents"]
    return sorted((e for e in events if e.get("cat") in ("kernel", "gpu_memcpy")), key=lambda e: e["ts"])


x = torch.randn(256, 256, **on)
x @ x
"""


@pytest.fixture
def shown(script):
    """A script and options -> the JSON that rank 0 prints."""

    def run(text, *options):
        done = script(BEGIN + text, "--json", *options)
        assert done.returncode == 0, done.stderr
        [line] = [line for line in done.stderr.splitlines() if line.startswith("shown ")]
        return json.loads(line.removeprefix("shown "))

    return run


def test_operators_have_the_simulated_time_of_their_kernels(shown):
    found = shown("""
product = microseconds(lambda: x @ x)
with profile(activities=BOTH) as prof:
    for _ in range(3):
        (x @ x).relu()
rows = {row.key: [row.count, row.device_time_total] for row in prof.key_averages()}
print("shown", json.dumps([product, rows["aten::mm"], rows["mm"], rows["aten::matmul"]]))
""", "--nproc", 1)
    product, *rows = found
    for count, total in rows:
        assert count == 3
        # The profiler counts whole nanoseconds.
        assert total == pytest.approx(3 * product, abs=0.004)


def test_the_trace_has_the_kernels_of_each_stream_one_after_another(shown):
    found = shown("""
side = torch.cuda.Stream()
host = torch.ones(1 << 20)
with profile(activities=BOTH) as prof:
    x @ x
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        x + 1
    host.to("cuda")
events = kernels(prof)
print("shown", json.dumps([[e["name"], e["cat"], e["tid"], e["ts"], e["dur"]] for e in events]))
""", "--nproc", 1)
    assert [row[:2] for row in found] == [["mm", "kernel"], ["add", "kernel"], ["copy to GPU", "gpu_memcpy"]]
    (_, _, main, begin, product), (_, _, side, beside, _), (_, _, copies, _, _) = found
    assert main == copies != side
    assert beside >= begin + product - 0.002


def test_kernels_of_a_graph_and_collectives_are_there(shown):
    found = shown("""
import os, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
x, values = torch.randn(256, 256, **on), torch.ones(1 << 20, **on)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x @ x
dist.barrier()
price = microseconds(lambda: dist.all_reduce(values))
with profile(activities=BOTH) as prof:
    graph.replay()
    dist.all_reduce(values)
if dist.get_rank() == 0:
    print("shown", json.dumps([price, [[e["name"], e["dur"]] for e in kernels(prof)]]))
""", "--nproc", 2)
    price, ((product, _), (collective, took)) = found
    assert product == "mm"
    assert collective.startswith("all_reduce")
    assert took == pytest.approx(price, abs=0.002)
