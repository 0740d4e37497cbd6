"""Operators of PyTorch 2 on the simulated GPU give the CPU's numbers, and none fails silently."""

import json
import pathlib
import subprocess
import sys
import textwrap

import pytest

import stand_in
from ndsim.torch.making import builder, operators

HERE = pathlib.Path(__file__).resolve().parent
TABLE = builder.slot_sources() / "cuda_only.toml"
DECISIONS = operators.decisions(TABLE)
TORCHES = {torch.version: torch for torch in map(stand_in.torch_of, stand_in.pythons()) if torch is not None}

# PyTorch's own samples that cannot be compared, and why.
NOT_COMPARED = {
    "sparse.mm.reduce": "it has no kernel on a GPU",
    "tensor_split": "it takes the places to split at on the host alone, on a GPU and here",
    "torch.ops.aten._efficient_attention_forward": "it has no kernel on the CPU; gpu_operators.py compares it",
    "torch.ops.aten._flash_attention_forward": "it has no kernel on the CPU; gpu_operators.py compares it",
    "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu": "it has no kernel on a GPU",
    "torch._scaled_mm": "the CPU's results overflow where a GPU's stay at the largest number; gpu_operators.py compares it",
}
# Their difference depends on the processor: some multiply 8-bit numbers without an overflow.
PERHAPS_EQUAL = {"torch._scaled_mm"}
# Operators that are close to the CPU's numbers, but not equal.
CLOSE = {
    "renorm": 1e-6,  # its gradient is summed in single precision on a GPU, and in double on the CPU
}

# The GPU's attention, computed by the CPU's flash attention, against the equivalent matmuls.
SINGLE, HALF = 1e-6, 1e-2
TOLERANCES = {
    "flash_attention": HALF,
    "flash_attention_of_groups": HALF,
    "attention_of_cudnn": HALF,
    "flash_attention_of_sequences_of_several_lengths": HALF,
    "efficient_attention": SINGLE,
    "efficient_attention_with_a_mask": SINGLE,
    "attention_drops_alike_in_its_backward": SINGLE,
    # Results in half precision against sums in double.
    "scaled_product_by_row": HALF,
    "grouped_product": HALF,
    "scaled_grouped_product": HALF,
    "half_precision_of_a_recurrent_layer": HALF,
    "half_precision_of_pools_and_losses": HALF,
    "product_in_a_wider_type": SINGLE,
}


REFUSED = 2


def launched(*words, folder=None, code=0, ranks=1):
    command = [sys.executable, "-B", "-m", "ndsim.torchrun", "--machine", "dgx-h100", "--nproc", ranks, "--json", *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=folder, timeout=900, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def simulated(*words, **settings):
    return launched(*words, **settings).stderr


def script(folder, text):
    (folder / "script.py").write_text(textwrap.dedent(text).lstrip("\n"))
    return "script.py"


def said_by(name, key):
    """The output of a script of this folder, by the names that it prints."""
    rows = [json.loads(line) for line in simulated(HERE / "scripts" / name).splitlines() if line.startswith("{")]
    assert rows
    return {row[key]: row["said"] for row in rows}


@pytest.mark.parametrize("torch", TORCHES.values(), ids=TORCHES)
def test_every_operator_that_exists_for_cuda_alone_is_decided(torch):
    assert [name for name in operators.for_cuda_alone(torch.site_packages) if name not in DECISIONS] == []


def test_what_is_decided_to_be_written_stands_in_the_file_that_is_named():
    missing = [
        name for name, decision in DECISIONS.items()
        if decision.is_written and f'"{name}"' not in (TABLE.parent / decision.where).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_the_decisions_are_in_the_order_of_their_bytes():
    assert list(DECISIONS) == sorted(DECISIONS)


def test_what_has_no_kernel_for_the_cpu_is_decided_and_everything_has_one_for_the_gpu(tmp_path):
    text = """
        import torch
        from ndsim.torch.making import installed, operators
        torch.cuda.init()
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        elsewhere = ("CPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd")
        for name in operators.cuda_operators(installed.find_torch().site_packages):
            if torch._C._dispatch_has_kernel(f"aten::{name}"):
                print("cuda", has(f"aten::{name}", "CUDA"), any(has(f"aten::{name}", key) for key in elsewhere), name)
        """
    rows = [line.split() for line in simulated(script(tmp_path, text), folder=tmp_path).splitlines() if line.startswith("cuda")]
    assert len(rows) > 1000
    assert [name for _, on_gpu, _, name in rows if on_gpu != "True"] == []
    assert [name for _, _, on_cpu, name in rows if on_cpu != "True" and name not in DECISIONS] == []


def test_operators_and_their_gradients_are_the_cpus_on_the_samples_that_pytorch_tests_them_with():
    said = said_by("operators.py", "operator")
    assert len(said) > 600
    other = {name: gap for name, gap in said.items() if gap != "equal"}
    wrong = {name: gap for name, gap in other.items() if name not in NOT_COMPARED and not (name in CLOSE and gap <= CLOSE[name])}
    assert wrong == {}
    exceptions = {*NOT_COMPARED, *CLOSE} - PERHAPS_EQUAL
    assert sorted(name for name in exceptions if said.get(name) == "equal") == []


def test_what_a_gpu_has_kernels_of_its_own_for_has_the_numbers_of_the_cpu():
    said = said_by("gpu_operators.py", "check")
    known = {name: gap for name, gap in said.items() if gap is not None}
    assert {name: gap for name, gap in known.items() if isinstance(gap, str) or gap > TOLERANCES.get(name, 0.0)} == {}
    assert set(TOLERANCES) <= set(said)


def test_a_batch_norm_of_two_ranks_is_that_of_the_whole_batch(tmp_path):
    text = """
        import os, torch, torch.distributed as dist
        from torch import nn
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl")
        rank = dist.get_rank()
        whole = torch.randn(6, 3, 4, generator=torch.Generator().manual_seed(0))
        own = slice(0, 2) if rank == 0 else slice(2, 6)  # shares of several sizes
        weights = torch.arange(whole.numel()).view(whole.shape).cos()

        def trained(norm, x, weights):
            x = x.clone().requires_grad_()
            made = norm(x)
            (made * weights).sum().backward()
            return made.detach(), x.grad

        on_host = nn.BatchNorm1d(3)
        expected = trained(on_host, whole, weights)
        synchronized = nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1d(3)).cuda()
        found = trained(synchronized, whole[own].cuda(), weights[own].cuda())
        of_weights = [synchronized.weight.grad, synchronized.bias.grad]
        for gradient in of_weights:
            dist.all_reduce(gradient)
        pairs = [*((before[own], after) for before, after in zip(expected, found)),
                 *zip([on_host.weight.grad, on_host.bias.grad], of_weights),
                 *zip([on_host.running_mean, on_host.running_var], [synchronized.running_mean, synchronized.running_var])]
        print(rank, all(torch.allclose(before, after.cpu(), rtol=1e-5, atol=1e-6) for before, after in pairs))
        """
    lines = simulated(script(tmp_path, text), folder=tmp_path, ranks=2).splitlines()
    assert sorted(line for line in lines if line.endswith(("True", "False"))) == ["0 True", "1 True"]


SAME = ("simulated_seconds", "breakdown", "memory", "ops")
LAYERS = """
    import torch
    from torch import nn
    from torch.nn import functional as F

    def numbers(*shape, dtype=torch.float32):
        return torch.randn(shape, device="cuda", dtype=dtype, requires_grad=True)

    images, queries = numbers(4, 16, 40, 40), numbers(2, 4, 256, 64, dtype=torch.bfloat16)
    layers = [nn.Conv2d(16, 32, 3), nn.Conv2d(16, 32, 3, bias=False), nn.Conv2d(16, 16, 3, groups=16), nn.ConvTranspose2d(16, 16, 3),
              nn.BatchNorm2d(16)]
    for layer in layers:
        layer.cuda()(images).sum().backward()
    nn.LSTM(128, 128, 2, batch_first=True, dropout=0.1).cuda()(numbers(8, 32, 128))[0].sum().backward()
    nn.GRU(128, 128, bidirectional=True).cuda()(numbers(32, 8, 128))[0].sum().backward()
    nn.GRUCell(128, 256).cuda()(numbers(256, 128)).sum().backward()
    F.scaled_dot_product_attention(queries, queries, queries, dropout_p=0.1).sum().backward()
    F.rms_norm(numbers(64, 512), (512,), numbers(512)).sum().backward()
    narrow = queries.detach().view(-1, 512)[:256]
    torch.mm(narrow, narrow.t(), out_dtype=torch.float32)
    torch.cuda.synchronize()
    """


def test_a_hollow_run_of_what_a_gpu_has_kernels_of_its_own_for_takes_the_time_and_the_memory_of_a_real_one(tmp_path):
    name = script(tmp_path, LAYERS)
    real, hollow = (json.loads(launched(*words, name, folder=tmp_path).stdout) for words in ([], ["--hollow"]))
    assert {key: hollow[key] for key in SAME} == {key: real[key] for key in SAME}


def test_an_operator_that_is_refused_is_told_with_the_line_of_the_script(tmp_path):
    text = """
        import torch
        values = torch.ones(4, 4, device="cuda", dtype=torch.float16)
        torch._cslt_compress(values)
        """
    told = simulated(script(tmp_path, text), folder=tmp_path, code=REFUSED)
    assert ("ndsim.torchrun: script.py:3: ndsim does not simulate aten::_cslt_compress, which has a kernel for CUDA alone. "
            "Instead: dense weights and torch.mm") in told


def test_an_operator_computes_on_the_memory_and_the_shape_that_a_tensor_has_by_now(tmp_path):
    text = """
        import torch
        for device in "cpu", "cuda":
            a = torch.arange(4.0, device=device)
            b = a + 1
            said = [(a * b).tolist()]
            a.resize_(6)[4:] = 7
            said.append((a * 2).tolist())
            a.view(2, 3).transpose(0, 1).add_(a.view(3, 2).clone())
            said.append((a * 2).tolist())
            a.set_(b.untyped_storage(), 1, (2,), (1,))
            said.append((a * 2).tolist())
            a.data = torch.ones(2, device=device)
            said.append((a * 2).tolist())
            with torch.inference_mode():
                a.mul_(3)
                c = a * 2
            c = c.clone()
            said.append((c + a).tolist())
            said.append((torch.complex(a, a).conj() * 2).tolist())
            torch.add(a, a, out=b)
            said.append((b * 2).tolist())
            print(said)
        """
    plain, gpu = (line for line in simulated(script(tmp_path, text), folder=tmp_path).splitlines() if line.startswith("[["))
    assert gpu == plain
