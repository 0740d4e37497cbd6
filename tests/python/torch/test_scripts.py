"""Scripts on PyTorch 2, started as a user starts them: their losses equal gloo's on the CPU, their time is the machine's."""

import json
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS, ON_THE_HOST = HERE / "scripts", HERE / "on_the_host.py"
PRINTS_AN_ERROR = "Traceback"


def run(*words, folder=None, code=0):
    done = subprocess.run([sys.executable, "-B", *map(str, words)], capture_output=True, text=True, cwd=folder, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def simulated(*words, folder=None, code=0):
    return run("-m", "ndsim.torchrun", "--machine", "dgx-h100", *words, folder=folder, code=code)


def script(folder, text):
    (folder / "script.py").write_text(textwrap.dedent(text).lstrip("\n"))
    return "script.py"


def losses(text):
    return [line for line in text.splitlines() if len(line.split()) == 3 and line.split()[1].isdigit()]


def test_losses_of_two_ranks_are_those_of_gloo_bit_by_bit():
    plain = run(ON_THE_HOST, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2,
                ON_THE_HOST, SCRIPTS / "strategies.py", "--cpu")
    ours = simulated("--nproc", 2, "--json", SCRIPTS / "strategies.py")
    assert len(losses(plain.stdout)) == 15
    assert losses(ours.stderr) == losses(plain.stdout)


def test_every_run_has_one_timeline():
    hashes = {json.loads(simulated("--nproc", 2, "--json", SCRIPTS / "strategies.py").stdout)["timeline_sha256"] for _ in range(3)}
    assert len(hashes) == 1


TIMED = """
import os, torch, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
ranks = dist.get_world_size()


def microseconds(calls):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    dist.barrier()
    torch.cuda.synchronize()
    begin.record()
    for call in calls:
        call()
    end.record()
    end.synchronize()
    return 1e3 * begin.elapsed_time(end)


for megabytes in (4, 64):
    whole = torch.zeros(megabytes << 18, device="cuda")
    part, other = torch.zeros(whole.numel() // ranks, device="cuda"), torch.empty_like(whole)
    calls = {
        "all_reduce": lambda: dist.all_reduce(whole),
        "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
        "all_to_all": lambda: dist.all_to_all_single(other, whole),
    }
    for name, call in calls.items():
        if dist.get_rank() == 0:
            print("timed", name, f"{megabytes}M", *(f"{microseconds([call] * count):.3f}" for count in (1, 10)))
        else:
            microseconds([call]), microseconds([call] * 10)
"""


def price_of(collective, size):
    tool = pathlib.Path(os.environ["NDSIM_BIN_DIR"]) / "ndsim"
    words = [tool, "collective", collective, "--machine", "dgx-h100", "--ranks", "4", "--sizes", size, "--json"]
    return 1e6 * json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)["rows"][0]["seconds"]


def test_events_around_collectives_show_the_times_of_ndsim_collective(tmp_path):
    done = simulated("--nproc", 4, "--json", "--hollow", script(tmp_path, TIMED), folder=tmp_path)
    timed = [line.split()[1:] for line in done.stderr.splitlines() if line.startswith("timed")]
    assert len(timed) == 6
    for collective, size, alone, ten in timed:
        # The launch is part of the kernel's price. Events have single precision.
        price = price_of(collective, size)
        assert (float(alone), float(ten)) == pytest.approx((price, 10 * price), rel=1e-6, abs=1e-3), (collective, size)


def test_collectives_that_are_shorter_than_their_calls_wait_for_the_host(tmp_path):
    text = TIMED.replace("(4, 64)", "(0.0009765625,)").replace("megabytes << 18", "256").replace('{megabytes}M', "1K")
    done = simulated("--nproc", 4, "--json", "--launch-microseconds", 50, script(tmp_path, text), folder=tmp_path)
    [line] = [line.split()[1:] for line in done.stderr.splitlines() if line.startswith("timed all_reduce")]
    # An event is recorded when the host reaches it: after one call of 50 us, or after ten.
    assert price_of("all_reduce", "1K") < 50
    assert line[2:] == ["50.000", "500.000"]


def test_what_waits_for_ever_is_told_with_the_line_of_the_script(tmp_path):
    text = """
        import os, torch, torch.distributed as dist
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl")
        values = torch.ones(4, device="cuda")
        if dist.get_rank() != 1:
            dist.all_reduce(values)
        print(values.sum().item())
        """
    done = simulated("--nproc", 2, script(tmp_path, text), folder=tmp_path, code=3)
    # There is no guarantee that the waiting rank has reached the next line by then.
    assert "called all_reduce (script.py:6)" in done.stderr
    assert PRINTS_AN_ERROR not in done.stderr


def test_memory_is_counted_as_the_caching_allocator_of_cuda_does(tmp_path):
    text = """
        import torch
        held = [torch.empty(100, device="cuda"), torch.empty(3 << 20, dtype=torch.uint8, device="cuda")]
        print("allocated", torch.cuda.memory_allocated(), "reserved", torch.cuda.memory_reserved())
        del held
        print("allocated", torch.cuda.memory_allocated(), "reserved", torch.cuda.memory_reserved())
        try:
            torch.empty(90 << 30, dtype=torch.uint8, device="cuda")
        except torch.cuda.OutOfMemoryError as error:
            print("refused", "Tried to allocate 90.00 GiB" in str(error))
        """
    done = simulated("--nproc", 1, "--json", script(tmp_path, text), folder=tmp_path)
    shown = [line for line in done.stderr.splitlines() if line.startswith(("allocated", "refused"))]
    # 512 B in a segment of 2 MiB, and 3 MiB in one of 20 MiB.
    assert shown == [
        f"allocated {512 + (3 << 20)} reserved {22 << 20}",
        f"allocated 0 reserved {22 << 20}",
        "refused True",
    ]


def test_tensors_on_two_devices_are_refused_as_on_a_gpu(tmp_path):
    text = """
        import torch
        for other in ("cpu", "cuda:1"):
            try:
                torch.ones(2, device="cuda:0") + torch.ones(2, device=other)
            except RuntimeError as error:
                print("refused", str(error).split("!")[0])
        """
    done = simulated("--nproc", 1, "--json", script(tmp_path, text), folder=tmp_path)
    assert [line for line in done.stderr.splitlines() if line.startswith("refused")] == [
        "refused Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu",
        "refused Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1",
    ]


def test_a_script_that_uses_no_gpu_trains_on_gloo(tmp_path):
    text = """
        import torch, torch.distributed as dist
        dist.init_process_group("gloo")
        torch.manual_seed(0)
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
        x = torch.full((2, 4), 1.0 + dist.get_rank())
        model(x).sum().backward()
        # each rank's gradient is 2 or 4
        print("gradient", dist.get_rank(), model.module.weight.grad.tolist())
        # the group data that PyTorch's logger reads
        print("gradient by", model._get_ddp_logging_data()["gloo_num_threads"], "threads")
        """
    done = simulated("--nproc", 2, "--json", script(tmp_path, text), folder=tmp_path)
    assert sorted(line for line in done.stderr.splitlines() if line.startswith("gradient")) == [
        *(f"gradient {rank} [[3.0, 3.0, 3.0, 3.0]]" for rank in range(2)),
        *["gradient by 2 threads"] * 2,
    ]
    memory = json.loads(done.stdout)["memory"]
    assert (memory["allocated"], memory["reserved"]) == (0, 0)


def test_a_rank_that_sees_its_own_gpu_alone_is_on_that_gpu(tmp_path):
    text = """
        import os, sys, torch, torch.distributed as dist
        if sys.argv[1:] == ["alone"]:
            os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["LOCAL_RANK"]
        else:
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl")
        held = torch.ones(1 << 20, device="cuda")
        dist.all_reduce(held)
        with torch.cuda.stream(torch.cuda.Stream()):
            (held + 1).sum().item()
        print("sees", torch.cuda.device_count(), torch.cuda.get_device_properties("cuda").uuid)
        """
    path = script(tmp_path, text)
    alone, all_eight = (simulated("--nproc", 2, "--json", path, *words, folder=tmp_path) for words in (["alone"], []))
    for done, count in ((alone, 1), (all_eight, 8)):
        assert sorted(line for line in done.stderr.splitlines() if line.startswith("sees")) == [
            f"sees {count} 00000000-0000-0000-0000-{number:012}" for number in (1, 2)
        ]
    for what in ("timeline_sha256", "memory"):
        assert json.loads(alone.stdout)[what] == json.loads(all_eight.stdout)[what]


def test_a_group_of_gloo_is_of_the_ranks_that_it_was_made_of(tmp_path):
    text = """
        import torch, torch.distributed as dist
        dist.init_process_group("cpu:gloo,cuda:nccl")
        groups = [dist.new_group([first, first + 2], backend="gloo") for first in range(2)]
        values = torch.tensor([10.0 ** dist.get_rank()])
        dist.all_reduce(values, group=groups[dist.get_rank() % 2])
        print("sum", dist.get_rank(), values.item())
        """
    done = simulated("--nproc", 4, "--json", script(tmp_path, text), folder=tmp_path)
    assert sorted(line for line in done.stderr.splitlines() if line.startswith("sum")) == [
        "sum 0 101.0", "sum 1 1010.0", "sum 2 101.0", "sum 3 1010.0"
    ]


def test_a_sleep_takes_cycles_of_the_gpus_clock(tmp_path):
    # 132 SMs with 128 lanes that do 2 operations per cycle, and 66.9 TFLOP/s in total: 1.98 GHz.
    text = """
        import torch
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        torch.cuda._sleep(round(66.9e12 / (2 * 128 * 132)))
        end.record()
        torch.cuda.synchronize()
        print("milliseconds", round(begin.elapsed_time(end)))
        """
    done = simulated("--nproc", 1, "--json", script(tmp_path, text), folder=tmp_path)
    assert "milliseconds 1000" in done.stderr.splitlines()


def test_memory_that_a_script_has_pinned_itself_is_copied_while_the_host_goes_on(tmp_path):
    # 1 GiB over a link of 64 GB/s takes 16.8 ms; the host's clock is the simulated one.
    text = """
        import time, torch
        source, runtime = torch.ones(1 << 30, dtype=torch.uint8), torch.cuda.cudart()
        target = torch.empty_like(source, device="cuda")

        def milliseconds():
            torch.cuda.synchronize()
            begin = time.perf_counter()
            target.copy_(source, non_blocking=True)
            return 1000 * (time.perf_counter() - begin)

        print("pinned", source.is_pinned(), milliseconds() > 10)
        answer = runtime.cudaHostRegister(source.data_ptr(), source.nbytes, 0)
        print("pinned", source.is_pinned(), milliseconds() < 1, answer == runtime.cudaError.success)
        print("again", int(runtime.cudaHostRegister(source.data_ptr(), source.nbytes, 0)))
        runtime.cudaHostUnregister(source.data_ptr())
        print("again", int(runtime.cudaHostUnregister(source.data_ptr())), source.is_pinned())
        """
    done = simulated("--nproc", 1, "--json", script(tmp_path, text), folder=tmp_path)
    assert [line for line in done.stderr.splitlines() if line.startswith(("pinned", "again"))] == [
        "pinned False True", "pinned True True True", "again 712", "again 713 False"
    ]
