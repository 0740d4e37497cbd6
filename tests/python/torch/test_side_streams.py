"""What a script puts on a CUDA stream of its own runs beside the computing, behind what that stream waits for."""

import json
import subprocess
import sys

SCRIPT = """
import sys, time, torch, torch.distributed as dist
dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank())
where, cast = sys.argv[1], len(sys.argv) > 2
a = torch.ones(512, 512, device="cuda")
shard = torch.ones(1 << 20, device="cuda")
low = torch.empty(1 << 20, dtype=torch.bfloat16, device="cuda")
whole = torch.empty(2 << 20, dtype=torch.bfloat16, device="cuda")
main, side = torch.cuda.current_stream(), torch.cuda.Stream()
side.wait_stream(main)
torch.cuda.synchronize()
begin = time.perf_counter()
for _ in range(50):
    a = a @ a
if where != "nowhere":
    with torch.cuda.stream(side if where == "side" else main):
        if cast:
            low.copy_(shard)
        dist._all_gather_base(whole, low)
main.wait_stream(side)
a.sum()
torch.cuda.synchronize()
if dist.get_rank() == 0:
    print(time.perf_counter() - begin)
"""


def seconds(tmp_path, *arguments):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    # Launches that take no time: what is left is the GPU's.
    words = ["-W", "ignore", "-m", "ndsim.torchrun", "--nproc", "2", "--launch-microseconds", "0", "--hollow", "--json"]
    done = subprocess.run(
        [sys.executable, *words, str(script), *arguments], capture_output=True, text=True, check=True
    )
    json.loads(done.stdout)
    return float(done.stderr.splitlines()[0])


def test_a_collective_on_a_side_stream_runs_beside_the_kernels_launched_before_it(tmp_path):
    alone, after, beside = (seconds(tmp_path, where) for where in ("nowhere", "main", "side"))
    gathering = after - alone
    assert gathering > 10e-6
    assert alone <= beside < alone + gathering / 4


def test_so_does_one_of_what_that_stream_has_cast_before(tmp_path):
    alone, after, beside = (seconds(tmp_path, where, "cast") for where in ("nowhere", "main", "side"))
    assert alone <= beside < alone + (after - alone) / 4
