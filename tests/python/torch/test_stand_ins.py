"""Packages that only a machine with GPUs could have are replaced, found like installed ones, and compute the same."""

import json
import pathlib

import pytest

REGISTRY = "from ndsim.torchrun.stand_ins import registry\n"


def test_every_kernel_has_a_price(printed):
    text = REGISTRY + """
import importlib, pkgutil, torch
from ndsim._ndsim import has_price
from ndsim.torchrun.stand_ins import kernels
for module in pkgutil.iter_modules(kernels.__path__):
    importlib.import_module(f"{kernels.__name__}.{module.name}")
names = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("ndsim::")]
assert len(names) >= 2 and not has_price("ndsim::kernel_of_tomorrow")
print([name for name in names if not has_price(name)])
"""
    assert printed(text, "--nproc", 1) == ["[]"]


# Four tensors in two lists, a step with an infinite gradient, and one with decay in the gradient.
ADAM = """
import torch
from torch.utils.cpp_extension import load

fused = load(name="fused_adam", sources=["multi_tensor_adam.cu"])
torch.manual_seed(0)
{setting}
mine = [torch.randn(size, device="cuda") for size in (3, 5000)]
theirs = [torch.nn.Parameter(each.cpu().clone()) for each in mine]
optimizer = {optimizer}(theirs, lr=0.1, betas=(0.8, 0.9), eps=1e-6, weight_decay=0.3)
first, second = ([torch.zeros_like(each) for each in mine] for _ in range(2))
ok, bad = torch.zeros(1, dtype=torch.int, device="cuda"), torch.ones(1, dtype=torch.int, device="cuda")
for step in range(1, 4):
    gradients = [torch.randn_like(each) for each in mine]
    for noop in (bad, ok):
        fused.multi_tensor_adam(65536, noop, [gradients, mine, first, second], 0.1, 0.8, 0.9, 1e-6, step, {mode}, True, 0.3)
    for parameter, gradient in zip(theirs, gradients):
        parameter.grad = gradient.cpu()
    optimizer.step()
for one, other in zip(mine, theirs):
    torch.testing.assert_close(one.cpu(), other.detach(), rtol=1e-5, atol=1e-6)
print("same")
"""


@pytest.mark.parametrize(("optimizer", "mode"), [("torch.optim.AdamW", 1), ("torch.optim.Adam", 0)])
def test_a_fused_adam_is_that_of_pytorch(answer, script, optimizer, mode):
    text = ADAM.format(optimizer=optimizer, mode=mode, setting="")
    done = script(text, "--json", "--nproc", 1, "--explain-cost")
    assert (done.returncode, done.stderr) == (0, "same\n")
    row = next(row for row in json.loads(done.stdout)["operators"] if row["operator"] == "multi_tensor_adam")
    assert (row["count"], row["guessed"]) == (6, False)


def test_an_adam_of_the_host_takes_the_time_of_its_memory_and_ranks_of_a_node_share_it(answer):
    text = """
    import torch
    from torch.utils.cpp_extension import load
    adam = load(name="cpu_adam", sources=[])
    adam.create_adam(0, 0.1, 0.9, 0.999, 1e-8, 0.0, True, False)
    tensors = [torch.zeros(1000) for _ in range(4)]
    adam.adam_update(0, 1, 0.1, 0.9, 0.999, 1e-8, 0.0, True, *tensors)
    """
    for ranks in (1, 2):
        assert answer(text, "--nproc", ranks)["simulated_seconds"] == pytest.approx(ranks * 1000 * 257e-12, abs=1e-12)


def test_sources_for_gpus_are_refused_and_those_for_the_host_are_not(script):
    text = "from torch.utils.cpp_extension import load, load_inline\n"
    done = script(text + "load('mine', ['a.cpp', 'b.cu'])", "--nproc", 1)
    assert done.returncode == 2 and "train.py:2: torch.utils.cpp_extension.load of mine cannot run here: a custom kernel" in done.stderr
    done = script(text + "load_inline('mine', [''], cuda_sources=[''])", "--nproc", 1)
    assert done.returncode == 2 and "train.py:2: torch.utils.cpp_extension.load_inline of mine cannot run here" in done.stderr
    done = script(text + "load('mine', ['nowhere.cpp'])", "--nproc", 1)
    assert "cannot run here" not in done.stderr and done.returncode == 4


def test_the_toolkit_has_the_version_of_pytorchs_cuda_and_compiles_nothing(printed):
    text = """
    import subprocess, torch
    from torch.utils.cpp_extension import CUDA_HOME
    said = subprocess.check_output([f"{CUDA_HOME}/bin/nvcc", "-V"], text=True)
    refused = subprocess.run([f"{CUDA_HOME}/bin/nvcc", "a.cu"], capture_output=True, text=True)
    print(f"release {torch.version.cuda}," in said, refused.returncode, "cannot be priced" in refused.stderr)
    """
    assert printed(text, "--nproc", 1) == ["True 1 True"]


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package fused_things among the stand-ins, version 1.5, with one module."""
    from ndsim.torchrun.stand_ins import imports, registry

    folder = tmp_path / "stand-ins"
    (folder / "fused_things").mkdir(parents=True)
    (folder / "fused_things-1.5.dist-info").mkdir()
    (folder / "fused_things-1.5.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: fused-things\nVersion: 1.5\n")
    (folder / "fused_things" / "__init__.py").write_text("ours = True\n")
    (folder / "fused_things" / "layers.py").write_text("")
    for module in (registry, imports):
        monkeypatch.setattr(module, "PACKAGES", folder)
    monkeypatch.setattr(registry.names, "__defaults__", (folder,))
    return tmp_path


IMPORT = """
import importlib.metadata, importlib.util
try:
    import fused_things, fused_things.layers
    print(fused_things.ours, importlib.metadata.version("fused-things"), importlib.util.find_spec("fused_things.none"))
    import fused_things.none
except ImportError as missing:
    print(missing)
"""


def test_a_package_is_found_with_its_version_and_says_what_it_lacks(installed, script):
    done = script(IMPORT, "--json", "--nproc", 1)
    assert done.stderr.splitlines() == ["True 1.5 None", "ndsim's stand-in for fused_things has no module fused_things.none"]
    assert json.loads(done.stdout)["stand_ins"] == ["fused_things"]


def test_a_package_can_be_left_out(installed, script):
    done = script(IMPORT, "--json", "--nproc", 1, "--without", "fused-things")
    assert done.stderr == "No module named 'fused_things'\n"
    assert json.loads(done.stdout)["stand_ins"] == []


def test_one_that_lies_beside_the_script_is_the_scripts(installed, script):
    pathlib.Path(installed, "fused_things.py").write_text("print('mine')\nours = False\n")
    assert script(IMPORT, "--json", "--nproc", 1).stderr.startswith("mine\n")


def test_leaving_out_what_is_not_there_is_refused(installed, script):
    done = script("", "--nproc", 1, "--without", "flash_atn")
    assert (done.returncode, done.stderr) == (
        2,
        "ndsim.torchrun: --without flash_atn has flash_atn, for which there is no stand-in; there are fused_things\n",
    )
