"""The slot is built once, for the PyTorch that is found, or refused with a message."""

import sys
import threading
import types

import pytest

from ndsim.torch.making import builder, compiler, installed, operators
from ndsim.torch.making.errors import CannotBuild


@pytest.fixture
def torch_folder(tmp_path):
    """A version, and CUDA's or None -> the folder of a PyTorch, with only the files that are inspected."""

    def make(version, cuda=None):
        folder = tmp_path / "site-packages" / "torch"
        (folder / "lib").mkdir(parents=True)
        (folder / "lib" / "libtorch_cpu.so").touch()
        (folder / "__init__.py").touch()
        (folder / "version.py").write_text(f"__version__ = '{version}'\ncuda: Optional[str] = {cuda!r}\n")
        return folder

    return make


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder for the test."""
    monkeypatch.setenv("NDSIM_TORCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_version_and_build_are_read_without_an_import(torch_folder):
    torch = installed.torch_at(torch_folder("2.14.1+cu130", "13.0"))
    assert (torch.version, torch.release, torch.cuda) == ("2.14.1+cu130", (2, 14), (13, 0))


def test_a_build_for_the_cpu_has_no_version_of_cuda(torch_folder):
    assert installed.torch_at(torch_folder("2.13.0+cpu")).cuda is None


def test_the_libraries_that_it_was_released_with_are_those_of_its_package(torch_folder):
    torch = installed.torch_at(torch_folder("2.6.0+cu124", "12.4"))
    metadata = torch.site_packages / "torch-2.6.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: torch\nRequires-Dist: nvidia-cudnn-cu12 (==9.1.0.70) ; platform_system == 'Linux'\n"
                                       "Requires-Dist: nvidia-nccl-cu12==2.21.5; platform_system == 'Linux'\n")
    assert torch.released_with("cudnn") == (9, 1, 0)
    assert torch.released_with("nccl") == (2, 21, 5)
    assert torch.released_with("cublas") is None


def refusal(action):
    """The refusal of an action."""
    with pytest.raises(CannotBuild) as refused:
        action()
    return str(refused.value)


def test_where_no_pytorch_is_the_python_is_named(monkeypatch):
    monkeypatch.setattr(installed.importlib.util, "find_spec", lambda name: None)
    said = refusal(installed.find_torch)
    assert said.startswith(f"there is no PyTorch in {sys.executable} (Python {sys.version.split()[0]}): ndsim needs 2.6 or newer")
    assert "\n" not in said


def test_an_old_pytorch_is_refused_by_its_version(torch_folder, monkeypatch):
    folder = torch_folder("2.5.1+cu124", "12.4")
    monkeypatch.setattr(installed.importlib.util, "find_spec",
                        lambda name: types.SimpleNamespace(origin=str(folder / "__init__.py")))
    assert refusal(installed.find_torch) == f"PyTorch 2.5.1+cu124 in {folder} is too old: ndsim needs 2.6 or newer"


def test_a_newer_pytorch_is_tried_and_said(torch_folder):
    torch = installed.torch_at(torch_folder("3.0.0+cu140", "14.0"))
    assert installed.unknown_version(torch) == "PyTorch 3.0.0+cu140 is newer than this ndsim knows (2.15 is the last); trying it"


def test_a_pytorch_that_is_imported_already_is_too_late(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", types.ModuleType("torch"))
    assert refusal(installed.check_not_imported).startswith("torch is imported already, and the simulated GPU has to come before it")


def test_where_no_compiler_is_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    assert "`apt-get install g++`" in refusal(compiler.find_compiler)


def test_the_compiler_that_is_asked_for_keeps_its_options(monkeypatch):
    monkeypatch.setenv("CXX", "env g++ -DASKED=7")
    asked = compiler.find_compiler()
    assert asked.command[1:] == ("g++", "-DASKED=7")
    assert "g++" in asked.version


def test_a_compiler_that_fails_is_quoted(tmp_path):
    (tmp_path / "wrong.cpp").write_text("int f() { return g(); }")
    said = refusal(lambda: compiler.find_compiler().run(["-c", str(tmp_path / "wrong.cpp"), "-o", str(tmp_path / "wrong.o")]))
    assert "cannot build the simulated GPU for this PyTorch" in said and "wrong.cpp:1" in said


def test_batches_are_of_about_one_size(tmp_path):
    for name, size in (("a", 50), ("b", 30), ("c", 30), ("d", 10)):
        (tmp_path / name).write_text("x" * size)
    paths = sorted(tmp_path.iterdir())
    assert [[path.name for path in part] for part in compiler.batches(paths, 2)] == [["a", "d"], ["b", "c"]]
    assert len(compiler.batches(paths, 9)) == 4


LIST = """
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  structured_delegate: add.out
  dispatch:
    SparseCPU: add_sparse

- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  ufunc_inner_loop:
    Generic: add

- func: relu(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: relu
    MPS: relu_mps

- func: chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]
  dispatch:
    CompositeImplicitAutograd: chunk

- func: only_cpu(Tensor self) -> Tensor
  # CUDA: not this
  dispatch:
    CPU: only_cpu

- func: only_cuda(Tensor self) -> Tensor
  dispatch:
    CUDA: only_cuda
"""


def test_operators_with_a_cuda_kernel_are_those_of_pytorchs_own_list(tmp_path):
    folder = tmp_path / "torchgen" / "packaged" / "ATen" / "native"
    folder.mkdir(parents=True)
    (folder / "native_functions.yaml").write_text(LIST)
    assert operators.cuda_operators(tmp_path) == ["add.Tensor", "add.out", "relu", "only_cuda"]
    assert operators.for_cuda_alone(tmp_path) == ["only_cuda"]


@pytest.fixture
def recipes(monkeypatch):
    """The recipes that ran; each makes one file."""
    made = []

    def make(self):
        made.append(self)
        (self.result / "library").touch()

    monkeypatch.setattr(builder.Recipe, "make", make)
    return made


def test_a_slot_is_built_once_and_said_once(torch_folder, cache, recipes):
    torch = installed.torch_at(torch_folder("2.14.1+cu130", "13.0"))
    said = []
    first = builder.build(torch, said.append)
    second = builder.build(torch, said.append)
    assert first == second and first.folder.parent == cache and (first.folder / "library").exists()
    assert said == ["compiling the simulated GPU for PyTorch 2.14.1+cu130, once (about 40 s)"] and len(recipes) == 1


def test_of_several_that_want_it_at_once_one_builds(torch_folder, cache, recipes):
    torch = installed.torch_at(torch_folder("2.14.1+cu130", "13.0"))
    threads = [threading.Thread(target=builder.build, args=(torch, lambda line: None)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recipes) == 1


def test_a_build_that_fails_leaves_nothing(torch_folder, cache, monkeypatch):
    torch = installed.torch_at(torch_folder("2.14.1+cu130", "13.0"))

    def fail(self):
        (self.result / "library").touch()
        raise CannotBuild("no")

    monkeypatch.setattr(builder.Recipe, "make", fail)
    assert refusal(lambda: builder.build(torch, lambda line: None)) == "no"
    assert [path.name for path in cache.iterdir() if not path.name.endswith(".lock")] == []


def test_another_version_or_compiler_has_a_folder_of_its_own(torch_folder):
    torch = installed.torch_at(torch_folder("2.14.1+cu130", "13.0"))
    names = {builder.folder_name(torch, compiler.Compiler("g++", version)) for version in ("g++ 12", "g++ 13")}
    assert len(names) == 2 and all(name.startswith("2.14.1+cu130-cp3") for name in names)


def test_a_change_of_the_sources_makes_a_slot_anew(torch_folder, tmp_path, monkeypatch):
    torch = installed.torch_at(torch_folder("2.14.1+cu130", "13.0"))
    slot = tmp_path / "slot"
    slot.mkdir()
    (tmp_path / "seam.hpp").write_text("1")
    (slot / "device.hpp").write_text("a")
    monkeypatch.setattr(builder, "slot_sources", lambda: slot)
    gxx = compiler.Compiler("g++", "g++ 12")
    before = builder.folder_name(torch, gxx)
    (slot / "device.hpp").write_text("b")
    assert builder.folder_name(torch, gxx) != before


def test_a_cache_that_cannot_be_written_is_named(torch_folder, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NDSIM_TORCH_CACHE", str(tmp_path / "file" / "cache"))
    torch = installed.torch_at(torch_folder("2.14.1+cu130", "13.0"))
    assert f"cannot be kept in {tmp_path}/file/cache" in refusal(lambda: builder.build(torch))
