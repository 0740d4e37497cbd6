"""Finds the PyTorch that a Python would import, without importing it."""

from __future__ import annotations

import importlib.util
import re
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from .elf import Library
from .errors import CannotBuild

OLDEST = (2, 6)
NEWEST = (2, 15)  # last version that this release of ndsim was tested with

_TAKES_A_STRING = "_ZN3c106detail14torchCheckFail"


@dataclass(frozen=True)
class Torch:
    """An installed PyTorch."""

    folder: Path  # of the torch package
    version: str  # including its build: 2.14.1+cu130
    cuda: tuple[int, int] | None  # None for a CPU build

    @property
    def libraries(self) -> Path:
        """The folder of its shared libraries."""
        return self.folder / "lib"

    @property
    def site_packages(self) -> Path:
        """The folder where it is installed along with its dependencies."""
        return self.folder.parent

    @property
    def release(self) -> tuple[int, int]:
        """The first two numbers of its version."""
        return _two_numbers(self.version)

    def has_new_strings(self) -> bool:
        """Whether it was built with the C++11 ABI of std::string; 2.6 for CUDA was not."""
        with Library(self.libraries / "libc10.so") as library:
            return any(symbol.name.startswith(_TAKES_A_STRING) and "__cxx11" in symbol.name for symbol in library.symbols)

    def pybind_macros(self) -> list[str]:
        """Macros with which a Python module shares PyTorch's bound types: before pybind11 3 this depends on the compiler version."""
        with Library(self.libraries / "libtorch_python.so") as library:
            name = library.bytes_after(b"__pybind11_internals_v", 64).split(b"\0")[0].decode()
        old = re.match(r"\d+(_gcc|_clang)(_libstdcpp)(_cxxabi\d+)__", name)
        if old is None:
            return []
        return [f'-DPYBIND11_{what}="{old.group(index)}"' for index, what in ((1, "COMPILER_TYPE"), (2, "STDLIB"), (3, "BUILD_ABI"))]

    def released_with(self, library: str) -> tuple[int, int, int] | None:
        """The version of an NVIDIA library, such as cudnn or nccl, that its package requires."""
        for metadata in self.site_packages.glob("torch-*.dist-info/METADATA"):
            asked = re.search(rf"^Requires-Dist: nvidia-{library}-cu\d+\s*\(?==(\d+)\.(\d+)\.(\d+)",
                              metadata.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
            if asked:
                return int(asked.group(1)), int(asked.group(2)), int(asked.group(3))
        return None

    def cuda_libraries(self) -> list[Path]:
        """CUDA's runtime, if its package is installed: binary extensions may need more of it than PyTorch does."""
        return sorted(self.site_packages.glob("nvidia/**/libcudart.so.*"))


def find_torch() -> Torch:
    """The PyTorch that `import torch` would import here. Raises CannotBuild if there is none or it is too old."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise CannotBuild(f"there is no PyTorch in {sys.executable} (Python {sys.version.split()[0]}): ndsim needs 2.6 or newer, "
                          f"for CUDA or for the CPU; `{sys.executable} -m pip install torch` installs it")
    torch = torch_at(Path(spec.origin).parent)
    if torch.release < OLDEST:
        raise CannotBuild(f"PyTorch {torch.version} in {torch.folder} is too old: ndsim needs {_text(OLDEST)} or newer")
    return torch


def check_not_imported() -> None:
    """Raise CannotBuild if PyTorch is imported already: the simulated GPU must come first."""
    if "torch" in sys.modules:
        raise CannotBuild("torch is imported already, and the simulated GPU has to come before it: start a new process, or restart "
                          "the notebook's kernel, and call ndsim first")


def torch_at(folder: Path) -> Torch:
    """The PyTorch in a folder."""
    try:
        text = (folder / "version.py").read_text(encoding="utf-8")
    except OSError:
        raise CannotBuild(f"{folder} is no PyTorch: it has no version.py") from None
    version = re.search(r"^__version__ = ['\"]([^'\"]+)", text, re.MULTILINE)
    if version is None or not (folder / "lib" / "libtorch_cpu.so").exists():
        raise CannotBuild(f"{folder} is no PyTorch for Linux: libtorch_cpu.so or its version is missing")
    cuda = re.search(r"^cuda\b.*= ['\"](\d+)\.(\d+)", text, re.MULTILINE)
    return Torch(folder, version.group(1), (int(cuda.group(1)), int(cuda.group(2))) if cuda else None)


def unknown_version(torch: Torch) -> str:
    """A notice for a version newer than the tested ones; empty for others."""
    if torch.release <= NEWEST:
        return ""
    return f"PyTorch {torch.version} is newer than this ndsim knows ({_text(NEWEST)} is the last); trying it"


def python_headers() -> Path:
    """The folder with Python.h. Raises CannotBuild if it is not installed."""
    folder = Path(sysconfig.get_paths()["include"])
    if not (folder / "Python.h").exists():
        raise CannotBuild(f"the headers of Python are missing ({folder}/Python.h): install python{sys.version_info[0]}."
                          f"{sys.version_info[1]}-dev")
    return folder


def _two_numbers(version: str) -> tuple[int, int]:
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return (int(numbers.group(1)), int(numbers.group(2))) if numbers else (0, 0)


def _text(version: tuple[int, int]) -> str:
    return ".".join(str(number) for number in version)
