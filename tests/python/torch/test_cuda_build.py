"""A CUDA build of PyTorch on the simulated runtime, over a GPU whose times are worked out by hand.

A kernel takes 10 us on its stream, a copy 1 us per KiB, and each costs its host 1 us.
"""

import pytest

import stand_in
from ndsim.torch.making import compiler

PYTHONS = stand_in.cuda_pythons()
HOW = "no Python with a PyTorch for CUDA: NDSIM_TORCH_PYTHON names some, with colons between them"


@pytest.fixture(params=PYTHONS or [pytest.param(None, marks=pytest.mark.skip(reason=HOW))], scope="module")
def python(request):
    """Each of the Pythons in turn."""
    return PYTHONS[request.param]


@pytest.fixture
def on_gpu(python, tmp_path):
    """A script and settings -> the lines that it prints."""
    return lambda script, **settings: stand_in.run(python, script, tmp_path, **settings)


def test_the_gpus_are_those_of_the_seam(on_gpu):
    assert on_gpu("""
        import torch
        print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.get_device_name(1))
        of = torch.cuda.get_device_properties(0)
        print(of.major, of.minor, of.total_memory, of.multi_processor_count, of.warp_size)
        print(torch.cuda.get_device_capability(), torch.cuda.mem_get_info())
    """) == ["True 2 a stand-in GPU", f"9 0 {80 << 30} 132 32", f"(9, 0) ({80 << 30}, {80 << 30})"]


def test_a_process_sees_the_devices_that_it_names(on_gpu):
    script = """
        import torch
        print(torch.cuda.device_count())
        x = torch.ones(2, device="cuda:0")
        print(gpu.stand_in_used(0) > 0, gpu.stand_in_used(3) > 0)
    """
    assert on_gpu(script, STAND_IN_DEVICES="4", CUDA_VISIBLE_DEVICES="3,1") == ["2", "False True"]
    assert on_gpu("import torch; print(torch.cuda.is_available())", CUDA_VISIBLE_DEVICES="") == ["False"]


def test_kernels_are_given_to_the_current_stream(on_gpu):
    # Two kernels of 10 us on a stream, launched by the host within 2 us, after the event at the host's time.
    assert on_gpu("""
        import torch
        x = torch.ones(4, device="cuda")
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        with torch.cuda.stream(torch.cuda.Stream()):
            begin.record()
            x + 1
            x + 1
            end.record()
        print(end.query(), begin.query())
        end.synchronize()
        print(end.query(), round(begin.elapsed_time(end) * 1000), gpu.stand_in_streams(0))
    """) == ["False True", "True 21 1"]


def test_a_stream_waits_for_what_another_has_recorded(on_gpu):
    assert on_gpu("""
        import torch
        x = torch.ones(4, device="cuda")
        torch.cuda.synchronize()
        side = torch.cuda.Stream()
        before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        x + 1
        before.record()
        side.wait_stream(torch.cuda.current_stream())
        after.record(side)
        torch.cuda.synchronize()
        print(round(before.elapsed_time(after) * 1000), torch.cuda.current_stream().query(), side.query())
    """) == ["0 True True"]


def test_the_time_between_events_is_known_when_both_have_passed(on_gpu):
    lines = on_gpu("""
        import torch
        x = torch.ones(4, device="cuda")
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record(); x + 1; b.record()
        try:
            a.elapsed_time(b)
        except RuntimeError as error:
            print(str(error).splitlines()[0])
        b.synchronize()
        print(round(a.elapsed_time(b) * 1000))
    """)
    # Since 2.8 PyTorch checks first; before, the runtime reports it.
    assert lines[0] in ("Both events must be completed before calculating elapsed time.", "CUDA error: device not ready")
    assert lines[1] == "10"


def test_the_statistics_are_those_of_pytorchs_own_allocator(on_gpu):
    # At least 512 B, in a 2 MiB segment for small ones; 30 MiB get a segment of their own, rounded up to 2 MiB.
    assert on_gpu("""
        import torch
        a = torch.empty(3, device="cuda")
        print(torch.cuda.memory_allocated(), torch.cuda.memory_reserved() >> 20)
        b = torch.empty(30 << 20, dtype=torch.uint8, device="cuda")
        print(torch.cuda.memory_allocated() - 512 == 30 << 20, torch.cuda.memory_reserved() >> 20)
        print(gpu.stand_in_held(0) == torch.cuda.memory_allocated(), gpu.stand_in_used(0) >> 20)
        del b
        torch.cuda.empty_cache()
        print(torch.cuda.memory_reserved() >> 20, gpu.stand_in_used(0) >> 20, gpu.stand_in_held(0))
    """) == ["512 2", "True 32", "True 32", "2 2 512"]


# Expandable segments grow by 20 MiB: 77 of them hold 1536.
@pytest.mark.parametrize(("setting", "reserved"), [("", 1536), ("expandable_segments:True", 1540)])
def test_a_full_gpu_is_pytorchs_own_error(on_gpu, setting, reserved):
    lines = on_gpu("""
        import torch
        kept = [torch.empty(512 << 20, dtype=torch.uint8, device="cuda") for _ in range(3)]
        print(torch.cuda.memory_reserved() >> 20, torch.cuda.mem_get_info()[0] >> 20)
        try:
            torch.empty(600 << 20, dtype=torch.uint8, device="cuda")
        except torch.cuda.OutOfMemoryError as error:
            print(error)
        kept.pop()
        torch.empty(600 << 20, dtype=torch.uint8, device="cuda")
        print(torch.cuda.memory_stats()["num_ooms"])
    """, STAND_IN_GIB="2", PYTORCH_CUDA_ALLOC_CONF=setting)
    assert lines[0] == f"{reserved} {2048 - reserved}"
    assert f"Tried to allocate 600.00 MiB. GPU 0 has a total capacity of 2.00 GiB of which {2048 - reserved}.00 MiB is free" in lines[1]
    assert lines[2] == "1"


def test_blocks_that_another_stream_uses_are_given_out_when_it_has_come_past(on_gpu):
    assert on_gpu("""
        import torch
        x = torch.ones(1 << 20, device="cuda")
        place = x.untyped_storage().data_ptr()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            x + 1
            x.record_stream(side)
        before = torch.cuda.memory_stats()["active_bytes.all.current"]
        del x
        print(torch.cuda.memory_stats()["active_bytes.all.current"] == before, torch.cuda.memory_allocated() < before)
        torch.cuda.synchronize()
        torch.empty(1, device="cuda")
        print(torch.cuda.memory_stats()["active_bytes.all.current"] < before)
    """) == ["True True", "True"]


def test_devices_have_memory_of_their_own(on_gpu):
    assert on_gpu("""
        import torch
        x = torch.ones(256, device="cuda:1")
        print(torch.cuda.memory_allocated(0), torch.cuda.memory_allocated(1), torch.cuda.current_device())
        y = x.to("cuda:0")
        print(y.device, y.sum().item(), torch.cuda.can_device_access_peer(0, 1))
        torch.cuda.set_device(1)
        print(torch.empty(1, device="cuda").device)
    """) == ["0 1024 0", "cuda:0 256.0 True", "cuda:1"]


def test_data_parallel_shares_a_batch_between_devices(on_gpu):
    assert on_gpu("""
        import torch
        from torch.nn.parallel import comm
        model = torch.nn.Linear(4, 4).cuda()
        x = torch.randn(6, 4, device="cuda")
        whole = model(x)
        parts = torch.nn.DataParallel(model)(x)
        print(torch.allclose(whole, parts), parts.device)
        parts.sum().backward()
        print(model.weight.grad is not None)
        print([part.device.index for part in comm.scatter(x, [0, 1])])
        print(comm.gather(comm.scatter(x, [0, 1]), destination=1).device)
    """) == ["True cuda:0", "True", "[0, 1]", "cuda:1"]


def test_a_training_step_has_the_numbers_of_the_cpu(on_gpu):
    assert on_gpu("""
        import torch
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 4))
        x, y = torch.randn(5, 8), torch.randint(0, 4, (5,))
        losses = []
        for device in ("cpu", "cuda"):
            import copy
            copied = copy.deepcopy(model).to(device)
            optimizer = torch.optim.AdamW(copied.parameters())
            for _ in range(3):
                loss = torch.nn.functional.cross_entropy(copied(x.to(device)), y.to(device))
                optimizer.zero_grad(); loss.backward(); optimizer.step()
            losses.append(loss.item())
        print(losses[0] == losses[1])
    """) == ["True"]


def test_the_history_of_memory_has_the_lines_of_the_script(on_gpu):
    assert on_gpu("""
        import torch
        torch.cuda.memory._record_memory_history()
        kept = torch.empty(1 << 20, device="cuda")
        block = torch.cuda.memory._snapshot()["segments"][0]["blocks"][0]
        print(block["size"], any(frame["filename"].endswith("script.py") for frame in block["frames"]))
    """) == [f"{4 << 20} True"]


def test_generators_are_a_gpus(on_gpu):
    assert on_gpu("""
        import torch
        torch.cuda.manual_seed(7)
        a = torch.rand(3, device="cuda")
        own = torch.Generator("cuda").manual_seed(7)
        b = torch.rand(3, device="cuda", generator=own)
        print(torch.equal(a, b), torch.cuda.initial_seed(), own.get_state().numel())
        state = torch.cuda.get_rng_state()
        c = torch.rand(3, device="cuda")
        torch.cuda.set_rng_state(state)
        print(torch.equal(c, torch.rand(3, device="cuda")), torch.equal(a, c))
    """) == ["True 7 16", "True False"]


def test_what_is_not_simulated_names_itself(on_gpu):
    lines = on_gpu("""
        import torch
        torch.ones(1, device="cuda")
        try:
            torch.cuda.tunable.tune_gemm_in_file("of_hip.csv")
        except RuntimeError as error:
            print(str(error).splitlines()[0])
    """)
    assert lines[0].startswith("ndsim does not simulate at::cuda::tunable")


def test_a_sleep_takes_cycles_of_the_gpus_clock(on_gpu):
    # 25000 cycles at 1 GHz; the launch takes 1 us of the host.
    assert on_gpu("""
        import torch
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record(); torch.cuda._sleep(25000); end.record()
        torch.cuda.synchronize()
        print(round(begin.elapsed_time(end) * 1000))
    """) == ["26"]


# A kernel as CUDA's compiler registers it when a library is loaded, and as it launches it.
EXTENSION = """
#include <exception>
#include <string>
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
int cudaLaunchKernel(const void*);
static const char kernel = 0;
__attribute__((constructor)) void load() {
    __cudaRegisterFunction(__cudaRegisterFatBinary(nullptr), &kernel, nullptr, "_Z7doubledPfi", -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
}
const char* launch() {
    static std::string said = "nothing";
    try {
        cudaLaunchKernel(&kernel);
    } catch (const std::exception& refused) {
        said = refused.what();
    }
    return said.c_str();
}
}
"""


def test_a_kernel_of_a_binary_extension_is_refused_by_name_whether_or_not_somebody_looks(on_gpu, tmp_path):
    (tmp_path / "extension.cpp").write_text(EXTENSION)
    compiler.find_compiler().run(["-shared", "-fPIC", str(tmp_path / "extension.cpp"), "-o", str(tmp_path / "extension.so")])
    assert on_gpu("""
        import ctypes, os, torch
        extension = ctypes.CDLL(os.environ["EXTENSION"])
        extension.launch.restype = ctypes.c_char_p
        print(extension.launch().decode())
    """, EXTENSION=str(tmp_path / "extension.so")) == [
        "ndsim does not simulate kernels of binary extensions: doubled(float*, int)"
    ]


def test_extensions_for_several_versions_find_the_streams(on_gpu):
    assert on_gpu("""
        import ctypes, torch
        pytorch, found = ctypes.CDLL(None), ctypes.c_void_p()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            pytorch.aoti_torch_get_current_cuda_stream(0, ctypes.byref(found))
        print(found.value == side.cuda_stream, found.value is not None)
        pytorch.torch_set_current_cuda_stream(found, 0)
        print(torch.cuda.current_stream().cuda_stream == side.cuda_stream)
    """) == ["True True", "True"]


def test_numbers_move_between_host_and_gpu_at_the_links_pace(on_gpu):
    # 4 KiB: 1 us for the host's call, 4 us on the link; a copy from pageable memory blocks the host.
    assert on_gpu("""
        import torch
        x = torch.arange(1024, dtype=torch.float32)
        torch.ones(1, device="cuda")
        torch.cuda.synchronize()
        before = us()
        y = x.to("cuda")
        print(us() - before)
        pinned = x.pin_memory()
        before = us()
        z = pinned.to("cuda", non_blocking=True)
        print(us() - before, pinned.is_pinned(), torch.equal(y.cpu(), z.cpu()))
    """) == ["5", "1 True True"]
