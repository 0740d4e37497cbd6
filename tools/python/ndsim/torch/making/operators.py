"""The operators that have a CUDA kernel in a CUDA build of PyTorch, from the list that every build includes, and how the slot
treats those without any other kernel.

An operator has a CUDA kernel if the `dispatch` of its entry names CUDA, if PyTorch generates its kernel from the entry
(`ufunc_inner_loop`), or if the operator that it is a variant of (`structured_delegate`) has one. The file is parsed without a
YAML library: it is PyTorch's own and has a fixed layout.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_LIST = Path("torchgen") / "packaged" / "ATen" / "native" / "native_functions.yaml"
_ENTRY = re.compile(r"- func: ([^(]+)\(")
_KERNEL = re.compile(r"    ([A-Za-z0-9_, ]+):")
_TWIN = re.compile(r"  structured_delegate: (\S+)")
_DECISION = re.compile(r'"([^"]+)" = \{ decision = "(written|refused)", (?:file|instead) = "([^"]*)" \}$')
# Keys that serve the CPU too.
_FOR_THE_CPU = {"CPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd"}
# Tensor layouts with kernels of their own.
_LAYOUTS = {"sparse_operators": "SparseCUDA", "sparse_csr_operators": "SparseCsrCUDA", "nested_operators": "NestedTensorCUDA"}


@dataclass
class Operator:
    """An entry in PyTorch's list."""

    kernels: set[str] = field(default_factory=set)  # the dispatch keys that it names
    twin: str = ""


@dataclass(frozen=True)
class Decision:
    """How the slot treats an operator that exists only for CUDA."""

    is_written: bool
    where: str  # the file that implements it, or what a script should use instead


def operators_of(site_packages: Path) -> dict[str, Operator]:
    """PyTorch's list in its order, by names with overloads, such as `add.Tensor`."""
    found: dict[str, Operator] = {}
    operator = Operator()
    section = ""
    for line in (site_packages / _LIST).read_text(encoding="utf-8").splitlines():
        if entry := _ENTRY.match(line):
            operator = found[entry.group(1)] = Operator()
            section = ""
        elif line.startswith("    "):
            kernel = _KERNEL.match(line)
            if section == "dispatch" and kernel:
                operator.kernels |= set(kernel.group(1).split(", "))
        elif line.startswith("  ") and not line.lstrip().startswith("#"):
            section = line.strip().split(":")[0]
            if section == "ufunc_inner_loop":
                operator.kernels |= {"CPU", "CUDA"}
            elif twin := _TWIN.match(line):
                operator.twin = twin.group(1)
    return found


def cuda_operators(site_packages: Path) -> list[str]:
    """The operators with a CUDA kernel for dense tensors."""
    operators = operators_of(site_packages)
    return [name for name in operators if "CUDA" in _kernels_of(name, operators)]


def for_cuda_alone(site_packages: Path) -> list[str]:
    """The operators with a CUDA kernel but no CPU kernel."""
    operators = operators_of(site_packages)
    return [name for name in cuda_operators(site_packages) if _FOR_THE_CPU.isdisjoint(_kernels_of(name, operators))]


def decisions(table: Path) -> dict[str, Decision]:
    """The rows of cuda_only.toml. It also has a fixed layout: Python reads TOML only since 3.11."""
    found: dict[str, Decision] = {}
    for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith(("#", "[")):
            row = _DECISION.match(line)
            if row is None:
                raise ValueError(f"{table}:{number}: a row is a name, its decision, and a file or what to use instead")
            found[row.group(1)] = Decision(row.group(2) == "written", row.group(3))
    return found


def lists_for_the_slot(site_packages: Path, table: Path) -> str:
    """The lists that the slot's operators/registration.hpp declares, as C++ source."""
    lists = {"cuda_operators": cuda_operators(site_packages)}
    for name, key in _LAYOUTS.items():
        lists[name] = [operator for operator, entry in operators_of(site_packages).items() if key in entry.kernels]
    lines = ['#include "tools/torch/slot/operators/registration.hpp"', "namespace sim::slot {"]
    for name, names in lists.items():
        lines.append(f"const char* const {name}[] = {{{''.join(_quoted(each) for each in names)}nullptr}};")
    refused = [f"{{{_quoted(name)}{_quoted(decision.where)}}}, " for name, decision in decisions(table).items() if not decision.is_written]
    lines += [f"const Refusal refusals[] = {{{''.join(refused)}{{nullptr, nullptr}}}};", "}", ""]
    return "\n".join(lines)


def _kernels_of(name: str, operators: dict[str, Operator]) -> set[str]:
    operator = operators[name]
    return operator.kernels | (operators[operator.twin].kernels if operator.twin in operators else set())


def _quoted(text: str) -> str:
    return f'"{text}", '
