"""The machine's C++ compiler and its options."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import CannotBuild

_LINES_OF_AN_ERROR = 12


@dataclass(frozen=True)
class Compiler:
    """A compiler, identified by its command line and by its version text."""

    command: tuple[str, ...]
    version: str

    def run(self, arguments: list[str]) -> None:
        """Compile or link. Raises CannotBuild with the compiler's first errors."""
        done = subprocess.run([*self.command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode == 0:
            return
        errors = [line for line in done.stdout.splitlines() if "error" in line or "undefined" in line] or done.stdout.splitlines()
        raise CannotBuild("\n  ".join([f"{shlex.join(self.command)} cannot build the simulated GPU for this PyTorch:", *errors[:_LINES_OF_AN_ERROR]]))


def find_compiler() -> Compiler:
    """CXX with its options, or g++ or clang++, whichever is found first. Raises CannotBuild if there is none."""
    for command in (shlex.split(os.environ.get("CXX", "")), ["g++"], ["clang++"], ["c++"]):
        path = shutil.which(command[0]) if command else None
        if path is not None:
            words = (path, *command[1:])
            said = subprocess.run([*words, "--version"], capture_output=True, text=True, check=False)
            return Compiler(words, said.stdout.splitlines()[0] if said.stdout else path)
    raise CannotBuild("no C++ compiler was found (g++ or clang++), which builds the simulated GPU against your PyTorch once: "
                      "`apt-get install g++`, `dnf install gcc-c++` or `conda install gxx_linux-64`")


def batches(sources: list[Path], count: int) -> list[list[Path]]:
    """Splits sources into parts of about equal size. A part compiles as one file: PyTorch's headers take longer than the sources."""
    parts: list[list[Path]] = [[] for _ in range(max(1, min(count, len(sources))))]
    sizes = [0] * len(parts)
    for source in sorted(sources, key=lambda path: (-path.stat().st_size, path.name)):
        smallest = sizes.index(min(sizes))
        parts[smallest].append(source)
        sizes[smallest] += source.stat().st_size
    return [sorted(part) for part in parts if part]
