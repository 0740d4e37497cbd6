"""The gap of a lab's PyTorch script, as a place in its syntax tree, and what the grader fills it with.

The reference and the known mistakes of a lab are installed as packed trees of their gap, never as scripts. The build packs them
(tools/labs/script_forms.py). This module imports nothing of ndsim, because that build step uses it, too.
"""

from __future__ import annotations

import ast
import base64
import json
import types
import zlib
from typing import Any


def gap_of(script: str, tree: ast.Module) -> tuple[list[ast.stmt], slice]:
    """The block of the tree that has the gap, and the statements in it that lie between the script's two marks."""
    lines = script.splitlines()
    begin, end = (next(at for at, line in enumerate(lines, 1) if mark in line) for mark in ("lines begin here", "lines end here"))
    # From the outside in: a block inside the gap comes later than the gap's own.
    for node in ast.walk(tree):
        for _, block in ast.iter_fields(node):
            if isinstance(block, list):
                inside = [at for at, each in enumerate(block) if isinstance(each, ast.stmt) and begin < each.lineno < end]
                if inside:
                    return block, slice(inside[0], inside[-1] + 1)
    raise ValueError("there is no statement between the marks")


def unpacked(packed: str) -> list[ast.stmt]:
    """The statements that were packed for a gap."""

    def tree_of(form: Any) -> Any:
        if isinstance(form, list):
            return [tree_of(each) for each in form]
        if isinstance(form, dict):
            fields = {name: tree_of(value) for name, value in form.items() if name}
            return getattr(ast, form[""])(**fields)
        return form

    statements: list[ast.stmt] = tree_of(json.loads(zlib.decompress(base64.b64decode(packed))))
    return statements


def filled(starter: str, packed: str, name: str) -> types.CodeType:
    """The program of a starter whose gap is filled with packed statements."""
    tree = ast.parse(starter, name)
    block, gap = gap_of(starter, tree)
    statements = unpacked(packed)
    for each in statements:
        ast.copy_location(each, block[gap.start])
    block[gap] = statements
    return compile(ast.fix_missing_locations(tree), name, "exec")
