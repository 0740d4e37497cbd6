"""The operators that have a CUDA kernel in a build of PyTorch for CUDA, by the list that every build carries.

An operator has one where its entry's `dispatch` names CUDA, or where PyTorch writes its kernel from the entry (`ufunc_inner_loop`),
or where the operator that it is the twin of (`structured_delegate`) has one. The file is read without a YAML library: it is PyTorch's
own, and has one form.
"""

from __future__ import annotations

import re
from pathlib import Path

_LIST = Path("torchgen") / "packaged" / "ATen" / "native" / "native_functions.yaml"
_ENTRY = re.compile(r"- func: ([^(]+)\(")
_KERNEL = re.compile(r"    ([A-Za-z0-9_, ]+):")
_TWIN = re.compile(r"  structured_delegate: (\S+)")


def cuda_operators(site_packages: Path) -> list[str]:
    """Their names with overloads, such as `add.Tensor`, in the order of PyTorch's list."""
    names: list[str] = []
    with_kernel: set[str] = set()
    twins: dict[str, str] = {}
    section = ""
    for line in (site_packages / _LIST).read_text(encoding="utf-8").splitlines():
        if entry := _ENTRY.match(line):
            names.append(entry.group(1))
            section = ""
        elif line.startswith("    "):
            kernel = _KERNEL.match(line)
            if section == "dispatch" and kernel and "CUDA" in kernel.group(1).split(", "):
                with_kernel.add(names[-1])
        elif line.startswith("  ") and not line.lstrip().startswith("#"):
            section = line.strip().split(":")[0]
            if section == "ufunc_inner_loop":
                with_kernel.add(names[-1])
            elif twin := _TWIN.match(line):
                twins[names[-1]] = twin.group(1)
    return [name for name in names if name in with_kernel or twins.get(name) in with_kernel]
