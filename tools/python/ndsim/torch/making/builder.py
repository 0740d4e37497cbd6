"""Compiles the slot on the user's machine for the user's PyTorch, once, and keeps it for the next time.

A folder holds the result for one combination of PyTorch, Python, compiler and sources. It appears completely or not at all; if
several processes want it at once, one builds it and the others wait.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import stubs
from .compiler import Compiler, batches, find_compiler
from .errors import CannotBuild
from .installed import Torch, find_torch, python_headers, unknown_version
from .operators import lists_for_the_slot

_LAYOUT = 1  # of the folder; a change invalidates all folders
_DONE = "built"

# Versions that a CPU build reports for the libraries it lacks.
_LIKE_CUDA = (12, 8)
_LIKE_NCCL = (2, 28, 3)
_LIKE_CUDNN = {
    (2, 6): (9, 1, 0),
    (2, 7): (9, 5, 1),
    (2, 11): (9, 19, 0),
    (2, 12): (9, 20, 0),
    (2, 13): (9, 20, 0),
    (2, 14): (9, 24, 0),
    (2, 15): (9, 26, 0),
}
_OTHER_CUDNN = (9, 10, 2)


@dataclass(frozen=True)
class Built:
    """The compiled slot for one PyTorch."""

    folder: Path
    torch: Torch


def build(torch: Torch | None = None, say: Callable[[str], None] | None = None) -> Built:
    """Return the compiled slot; build it unless it is in the cache. Raises CannotBuild with a one-line message.

    `say` is called before anything slow; the default prints to stderr.
    """
    torch = torch or find_torch()
    tell = say or (lambda line: print(f"ndsim: {line}", file=sys.stderr, flush=True))
    compiler = find_compiler()
    folder = cache_folder() / folder_name(torch, compiler)
    if not (folder / _DONE).exists():
        with _only_one_builds(folder):
            if not (folder / _DONE).exists():
                _say_what_begins(torch, tell)
                _make(folder, torch, compiler)
    return Built(folder, torch)


def cache_folder() -> Path:
    """The folder of compiled slots: NDSIM_TORCH_CACHE, or ndsim in the user's cache."""
    own = os.environ.get("NDSIM_TORCH_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ndsim" / "torch"


def folder_name(torch: Torch, compiler: Compiler) -> str:
    """A name that differs whenever the compiled slot would."""
    state = hashlib.sha256()
    for text in (str(_LAYOUT), compiler.version, *compiler.command[1:], sys.version, platform.machine()):
        state.update(text.encode() + b"\0")
    sources = slot_sources()
    for path in [*sorted(path for path in sources.rglob("*") if path.suffix in (".cpp", ".hpp", ".h", ".toml")), sources.parent / "seam.hpp"]:
        state.update(str(path.relative_to(sources.parent)).encode() + b"\0" + path.read_bytes())
    for path in sorted(path for path in Path(__file__).parent.glob("*.py") if path.name != "loader.py"):
        state.update(path.read_bytes())
    return f"{torch.version}-cp{sys.version_info[0]}{sys.version_info[1]}-{state.hexdigest()[:12]}"


def slot_sources() -> Path:
    """The folder of the slot's C++: in the installed package, or tools/torch in the source tree."""
    here = Path(__file__).resolve()
    for folder in (here.parents[1] / "slot", here.parents[4] / "torch" / "slot"):
        if (folder / "device.hpp").exists():
            return folder
    raise CannotBuild(f"the C++ sources of the simulated GPU are missing beside {here.parents[1]}: install ndsim again")


def _say_what_begins(torch: Torch, tell: Callable[[str], None]) -> None:
    strange = unknown_version(torch)
    if strange:
        tell(strange)
    tell(f"compiling the simulated GPU for PyTorch {torch.version}, once (about 40 s)")


@contextlib.contextmanager
def _only_one_builds(folder: Path) -> Iterator[None]:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = open(folder.with_name(f".{folder.name}.lock"), "w", encoding="utf-8")  # noqa: SIM115
    except OSError as refused:
        raise CannotBuild(f"the compiled GPU cannot be kept in {folder.parent} ({refused.strerror}): NDSIM_TORCH_CACHE names another "
                          "folder") from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(folder: Path, torch: Torch, compiler: Compiler) -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as name:
        work = Path(name) / "work"
        result = Path(name) / "result"
        work.mkdir()
        result.mkdir()
        Recipe(torch, compiler, work, result).make()
        (result / _DONE).write_text(f"{compiler.version}\n{time.monotonic() - began:.1f} s\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)  # left over from an interrupted process
        os.replace(result, folder)


@dataclass
class Recipe:
    """How to build the libraries of one slot."""

    torch: Torch
    compiler: Compiler
    work: Path
    result: Path

    def make(self) -> None:
        """Compile and link everything, with one job per processor."""
        slot = slot_sources()
        include = self.work / "include" / "tools"
        include.mkdir(parents=True)
        (include / "torch").symlink_to(slot.parent.resolve())
        lists = lists_for_the_slot(self.torch.site_packages, slot / "cuda_only.toml")
        (self.work / "lists_of_operators.cpp").write_text(lists, encoding="utf-8")
        libraries = self._cuda_build(slot) if self.torch.cuda else [self._library("slot", self._common("cpu_build"))]
        libraries.append(self._module(slot))
        # The library that is built last takes longest to compile, so its units start first.
        units = [unit for library in reversed(libraries) for unit in library.units]
        with ThreadPoolExecutor(_processors()) as pool:
            list(pool.map(self.compiler.run, units))
        for library in libraries:  # in order: later ones link to earlier ones
            self.compiler.run(library.link)

    def _common(self, build: str) -> list[Path]:
        return [self.work / "lists_of_operators.cpp", *_common(slot_sources(), build)]

    def _cuda_build(self, slot: Path) -> list[Library]:
        cuda = slot / "cuda_build"
        made = {stub.name: stub for stub in stubs.stubs_for(self.torch.libraries, self.torch.cuda_libraries())}
        runtime = [slot / "seam_table.cpp", *sorted((cuda / "runtime").glob("*.cpp"))]
        sources = {path.stem: [path] for path in (cuda / "libraries").glob("*.cpp")}
        sources["cudart"] = runtime
        sources["torch_cuda"] = [path for path in self._common("cuda_build/torch_cuda") if path not in runtime]
        first = ["cudart", *sorted(set(made) - {"cudart", "torch_cuda"}), "torch_cuda"]
        return [self._library(name, sources.get(name, []), made[name]) for name in first if name in made]

    def _library(self, name: str, sources: list[Path], stub: stubs.Stub | None = None) -> Library:
        """A library of the slot. It uses PyTorch if it replaces libtorch_cuda or has no stub.

        Leaves one processor to the Python module, which takes about a third of the time of these sources.
        """
        on_torch = stub is None or stub.soname == stubs.TORCH_CUDA
        library = Library(result=self.result / f"nd_{name}.so")
        for index, part in enumerate(batches(sources, max(2, _processors() - 1) if on_torch else 1)):
            library.add_unit(self._unit(f"{name}_{index}", part), self._flags(on_torch))
        if stub is not None:
            source = self.work / f"stub_{name}.cpp"
            source.write_text(stubs.source_of(stub), encoding="utf-8")
            library.add_unit(source, ["-O0"])
        library.link_options = [f"-Wl,-soname,{stub.soname}" if stub else f"-Wl,-soname,nd_{name}.so"]
        if stub is not None and (script := stubs.version_script_of(stub)):
            (self.work / f"{name}.map").write_text(script, encoding="utf-8")
            library.link_options.append(f"-Wl,--version-script={self.work / name}.map")
        library.link_options += [str(self.result / "nd_cudart.so")] if stub is not None and name != "cudart" else []
        library.link_options += self._torch_libraries() if on_torch else ["-ldl"]
        return library

    def _module(self, slot: Path) -> Library:
        module = Library(result=self.result / "_slot.so")
        build = "cuda_build" if self.torch.cuda else "cpu_build"
        sources = [path for path in slot.rglob("module.cpp") if path.relative_to(slot).parts[0] in ("module", "process_group", build)]
        flags = [*self._flags(True), *self.torch.pybind_macros(), "-isystem", str(python_headers())]
        module.add_unit(self._unit("module", sorted(sources)), flags)
        below = self.result / ("nd_torch_cuda.so" if self.torch.cuda else "nd_slot.so")
        module.link_options = [str(below), *self._torch_libraries(), "-ltorch_python"]
        return module

    def _unit(self, name: str, sources: list[Path]) -> Path:
        unit = self.work / f"{name}.cpp"
        unit.write_text("".join(f'#include "{source.resolve()}"\n' for source in sources), encoding="utf-8")
        return unit

    def _flags(self, on_torch: bool) -> list[str]:
        # Operators are no slower than with -O2, since most of their time is in PyTorch, and compiling takes a sixth less.
        flags = ["-std=c++20", "-O1", "-w", f"-I{self.work}", f"-I{self.work / 'include'}",
                 f"-D_GLIBCXX_USE_CXX11_ABI={int(self.torch.has_new_strings())}"]
        major, minor = self.torch.cuda or _LIKE_CUDA
        flags.append(f"-DNDSIM_CUDA_VERSION={major * 1000 + minor * 10}")
        for library, otherwise in (("cudnn", _LIKE_CUDNN.get(self.torch.release, _OTHER_CUDNN)), ("nccl", _LIKE_NCCL)):
            version = self.torch.released_with(library) or otherwise
            flags.append(f"-DNDSIM_{library.upper()}_VERSION={version[0]},{version[1]},{version[2]}")
        flags.append(f"-I{slot_sources() / 'cuda_build' / 'cuda_headers'}" if self.torch.cuda else "-DSIM_SLOT_CPU_BUILD")
        if on_torch:
            include = self.torch.folder / "include"
            flags += ["-DUSE_DISTRIBUTED", "-isystem", str(include), "-isystem", str(include / "torch" / "csrc" / "api" / "include"),
                      "-isystem", str(include / "kineto")]
        return flags

    def _torch_libraries(self) -> list[str]:
        names = ["torch_cpu", "c10", *(["c10_cuda"] if self.torch.cuda else [])]
        return [f"-L{self.torch.libraries}", "-Wl,--no-as-needed", *(f"-l{name}" for name in names), "-Wl,--allow-shlib-undefined"]


class Library:
    """A shared library as the commands that build it, without the compiler's name."""

    def __init__(self, result: Path) -> None:
        self.result = result
        self.units: list[list[str]] = []
        self.link_options: list[str] = []
        self._objects: list[str] = []

    def add_unit(self, source: Path, flags: list[str]) -> None:
        """Add a file to compile. Objects are linked in the order of these calls; the first of several weak symbols wins."""
        target = str(source.with_suffix(".o"))
        self._objects.append(target)
        self.units.append([*flags, "-fPIC", "-c", str(source), "-o", target])

    @property
    def link(self) -> list[str]:
        """The arguments of the link command."""
        return ["-shared", "-o", str(self.result), *self._objects, *self.link_options]


def _common(slot: Path, build: str) -> list[Path]:
    """The sources of every build plus those of this one, without the Python module's."""
    folders = [slot, slot / build, *(path for path in slot.iterdir() if path.is_dir() and not path.name.endswith("_build"))]
    return sorted(path for folder in folders for path in folder.glob("*.cpp") if path.name != "module.cpp")


def _processors() -> int:
    return len(os.sched_getaffinity(0))
