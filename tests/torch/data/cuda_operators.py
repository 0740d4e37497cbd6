"""cuda_operators.py PYTORCH...: writes cuda_operators.txt, the operators that have a CUDA kernel, next to itself.

PYTORCH is a folder with PyTorch's packages (site-packages), one per version. Names have no overload and no underscore of
in-place forms. An operator that some versions lack is followed by those that have it.
"""

from __future__ import annotations

import pathlib
import re
import sys
from typing import Any

import yaml

Rows = dict[str, dict[str, Any]]


def rows_of(packages: pathlib.Path) -> Rows:
    text = (packages / "torchgen/packaged/ATen/native/native_functions.yaml").read_text()
    return {row["func"].partition("(")[0]: row for row in yaml.load(text, Loader=yaml.CSafeLoader)}


def has_kernel(rows: Rows, name: str) -> bool:
    """True if it or its delegate dispatches to any of CUDA's keys, including those of sparse, nested and quantised tensors."""
    row = rows[name]
    keys = [key.strip() for listed in row.get("dispatch", {}) for key in str(listed).split(",")]
    if any(key.endswith("CUDA") for key in keys) or "ufunc_inner_loop" in row:
        return True
    return row.get("structured_delegate") in rows and has_kernel(rows, row["structured_delegate"])


def plain(name: str) -> str:
    name = name.partition(".")[0]
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def version_of(packages: pathlib.Path) -> str:
    found = re.search(r"__version__ = '(\d+\.\d+)", (packages / "torch/version.py").read_text())
    assert found, f"{packages}: no version in torch/version.py"
    return found[1]


def main(folders: list[str]) -> None:
    if not folders or any(folder.startswith("-") for folder in folders):
        sys.exit(__doc__)
    versions: dict[str, list[str]] = {}
    for packages in map(pathlib.Path, folders):
        rows = rows_of(packages)
        for name in {plain(name) for name in rows if has_kernel(rows, name)}:
            versions.setdefault(name, []).append(version_of(packages))
    known = [version_of(pathlib.Path(folder)) for folder in folders]
    lines = [f"# Operators of PyTorch {', '.join(known)} that have a kernel for CUDA. Made by cuda_operators.py."]
    lines += [name if versions[name] == known else " ".join([name, *versions[name]]) for name in sorted(versions)]
    pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
