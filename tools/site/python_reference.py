"""The reference of the Python package: signatures from its sources and its .pyi, text from the docstrings.

The compiled part has its docstrings in C++; they are read from the module if it can be imported.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

Function = ast.FunctionDef


def compiled_module(build: Path) -> ModuleType | None:
    """The package in the build, or None if this Python cannot import it."""
    sys.path.insert(0, str(build / "python"))
    try:
        return importlib.import_module("ndsim")
    except ImportError:
        return None
    finally:
        sys.path.pop(0)


def as_rst(text: str) -> str:
    """Plain text with `code`, escaped for reStructuredText."""
    text = text.replace("``", "`")
    parts = text.split("`")
    shown = [re.sub(r"([\\*_|])", r"\\\1", part) if i % 2 == 0 else part for i, part in enumerate(parts)]
    return "``".join(shown) if len(parts) % 2 == 1 else re.sub(r"([\\*_|`])", r"\\\1", text)


def described(docstring: str, parameters: list[str]) -> Iterator[str]:
    """The lines of a docstring; those that begin with the name of a parameter and a colon describe it."""
    parameter = ""
    for line in inspect.cleandoc(docstring).splitlines():
        stripped = line.strip()
        name, colon, rest = stripped.partition(":")
        if colon and name in parameters:
            if not parameter:
                yield ""
            parameter = name
            yield f":param {name}: {as_rst(rest.strip())}"
        elif parameter and stripped:
            yield f"    {as_rst(stripped)}"
        else:
            if parameter:
                yield ""
            parameter = ""
            yield as_rst(stripped)


def indented(lines: Iterator[str] | list[str], depth: int) -> Iterator[str]:
    for line in lines:
        yield " " * 4 * depth + line if line else ""


class Reference:
    """The page, while it is being written."""

    def __init__(self, package: Path, module: ModuleType | None) -> None:
        self._package = package
        self._module = module
        self._definitions: dict[str, ast.stmt] = {}
        for file in ["_ndsim.pyi", *sorted(p.name for p in package.glob("_[a-z]*.py"))]:
            for node in ast.parse((package / file).read_text(encoding="utf-8")).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    self._definitions.setdefault(node.name, node)

    def public_names(self) -> list[str]:
        tree = ast.parse((self._package / "__init__.py").read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                return list(ast.literal_eval(node.value))
        raise ValueError(f"{self._package}/__init__.py has no __all__")

    def page(self) -> str:
        title = "Python package"
        lines = [title, "=" * len(title), "",
                 "What ``import ndsim`` has. :doc:`/docs/python` tells the story; PyTorch scripts run unmodified under",
                 "``python3 -m ndsim.torchrun``: :doc:`/docs/torch`, with :doc:`its options <torchrun>`.", "",
                 ".. py:module:: ndsim", ""]
        names = self.public_names()
        functions = [name for name in names if isinstance(self._definitions[name], ast.FunctionDef)]
        errors = [name for name in names if name not in functions and self._is_error(name)]
        classes = [name for name in names if name not in functions and name not in errors]
        for heading, members in (("Functions", functions), ("Classes", classes), ("Exceptions", errors)):
            lines += [heading, "-" * len(heading), ""]
            for name in members:
                lines += self._definition(name)
        return "\n".join(lines) + "\n"

    def _is_error(self, name: str) -> bool:
        node = self._definitions[name]
        bases = [ast.unparse(base) for base in node.bases] if isinstance(node, ast.ClassDef) else []
        return any(base in ("Exception", "ValueError", "RuntimeError", "KeyboardInterrupt") or
                   (base in self._definitions and self._is_error(base)) for base in bases)

    def _definition(self, name: str) -> Iterator[str]:
        node = self._definitions[name]
        if isinstance(node, ast.FunctionDef):
            yield from self._function(node, "py:function", 0, [])
            return
        assert isinstance(node, ast.ClassDef)
        kind = "py:exception" if self._is_error(name) else "py:class"
        made = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)
        yield f".. {kind}:: {name}{'' if made is None else signature(made)}"
        yield ""
        yield from indented(list(described(self._docstring(node, [name]), [])), 1)
        yield ""
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                yield from self._function(member, "py:method", 1, [name])

    def _function(self, node: Function, kind: str, depth: int, owner: list[str]) -> Iterator[str]:
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        if "property" in decorators:
            result = ast.unparse(node.returns) if node.returns is not None else "Any"
            lines = [f".. py:property:: {node.name}", f"    :type: {result}", ""]
        else:
            lines = [f".. {kind}:: {node.name}{signature(node)}"]
            lines += ["    :staticmethod:", ""] if "staticmethod" in decorators else [""]
        parameters = [argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]]
        lines += indented(list(described(self._docstring(node, [*owner, node.name]), parameters)), 1)
        yield from indented([*lines, ""], depth)

    def _docstring(self, node: ast.FunctionDef | ast.ClassDef, path: list[str]) -> str:
        written = ast.get_docstring(node)
        if written or self._module is None:
            return written or ""
        found: object = self._module
        for name in path:
            found = getattr(found, name, None)
        text = inspect.getdoc(found) or ""
        # pybind11 begins with the signature, which the .pyi gives more precisely.
        first, _, rest = text.partition("\n")
        return rest.strip() if first.startswith(f"{path[-1]}(") else text


def signature(node: Function) -> str:
    """(gpu, *, label: str = '') -> None, without self."""
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^self(, )?", "", arguments)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None and node.name != "__init__" else ""
    return f"({arguments}){returns}"
