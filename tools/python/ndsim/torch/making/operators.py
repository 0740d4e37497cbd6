"""The operators that have a CUDA kernel in a build of PyTorch for CUDA, by the list that every build carries; and what the slot decided
of those that have no other.

An operator has one where its entry's `dispatch` names CUDA, or where PyTorch writes its kernel from the entry (`ufunc_inner_loop`),
or where the operator that it is the twin of (`structured_delegate`) has one. The file is read without a YAML library: it is PyTorch's
own, and has one form.
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
# What serves the CPU, too.
_FOR_THE_CPU = {"CPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd"}
# Tensors of these layouts have kernels of their own.
_LAYOUTS = {"sparse_operators": "SparseCUDA", "sparse_csr_operators": "SparseCsrCUDA", "nested_operators": "NestedTensorCUDA"}


@dataclass
class Operator:
    """An entry of PyTorch's list."""

    kernels: set[str] = field(default_factory=set)  # the keys that it names
    twin: str = ""


@dataclass(frozen=True)
class Decision:
    """What the slot does with an operator that exists for CUDA alone."""

    is_written: bool
    where: str  # the file that it is written in, or what a script uses instead


def operators_of(site_packages: Path) -> dict[str, Operator]:
    """PyTorch's list by names with overloads, such as `add.Tensor`, in its order."""
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
    """Those with a CUDA kernel for dense tensors."""
    operators = operators_of(site_packages)
    return [name for name in operators if "CUDA" in _kernels_of(name, operators)]


def for_cuda_alone(site_packages: Path) -> list[str]:
    """Those of them that the CPU has no kernel for."""
    operators = operators_of(site_packages)
    return [name for name in cuda_operators(site_packages) if _FOR_THE_CPU.isdisjoint(_kernels_of(name, operators))]


def decisions(table: Path) -> dict[str, Decision]:
    """The rows of cuda_only.toml, which has one form, too: Python has read TOML since 3.11 only."""
    found: dict[str, Decision] = {}
    for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith(("#", "[")):
            row = _DECISION.match(line)
            if row is None:
                raise ValueError(f"{table}:{number}: a row is a name, its decision, and a file or what to use instead")
            found[row.group(1)] = Decision(row.group(2) == "written", row.group(3))
    return found


def lists_for_the_slot(site_packages: Path, table: Path) -> str:
    """The lists that registration.hpp of the slot declares, as a C++ source."""
    lists = {"cuda_operators": cuda_operators(site_packages)}
    for name, key in _LAYOUTS.items():
        lists[name] = [operator for operator, entry in operators_of(site_packages).items() if key in entry.kernels]
    lines = ['#include "tools/torch/slot/registration.hpp"', "namespace sim::slot {"]
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
