"""script_forms.py OUTPUT STARTER SOLUTION MISTAKES: packs the references of a lab that is a PyTorch script, for its grader.

OUTPUT is JSON: "solution" and, in their order, "mistakes" with "name" and "gap". Each gap is a syntax tree with other names of
its variables, compressed: neither a search in an installed ndsim nor an editor shows the lines. MISTAKES is a Python file that says
what each mistake has in place of the solution's text.
"""

import ast
import base64
import json
import pathlib
import runpy
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "python" / "ndsim" / "torchrun"))
sys.dont_write_bytecode = True
import lab_gap


def form_of(node):
    """A tree as JSON; what is None has a default."""
    if isinstance(node, ast.AST):
        fields = {name: form_of(value) for name, value in ast.iter_fields(node) if value is not None or name == "value"}
        return {"": type(node).__name__, **fields}
    return [form_of(each) for each in node] if isinstance(node, list) else node


def packed(script, starter):
    """The gap's statements, with other names for the variables that the rest of the script does not know."""
    tree = ast.parse(script)
    block, gap = lab_gap.gap_of(script, tree)
    elsewhere = {node.id for node in ast.walk(ast.parse(starter)) if isinstance(node, ast.Name)}
    names = {}
    for statement in block[gap]:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in elsewhere:
                names.setdefault(node.id, f"v{len(names)}")
    for statement in block[gap]:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                node.id = names.get(node.id, node.id)
    return base64.b64encode(zlib.compress(json.dumps(form_of(block[gap])).encode(), 9)).decode()


def with_mistake(solution, name, changes):
    """The solution with other text in its gap, at every occurrence."""
    begin, end = (solution.index(mark) for mark in ("Your lines begin here", "Your lines end here"))
    gap = solution[begin:end]
    for text, other in changes:
        if text not in gap:
            sys.exit(f"the mistake {name} changes what the solution does not have: {text!r}")
        gap = gap.replace(text, other)
    return solution[:begin] + gap + solution[end:]


def main():
    output, starter, solution, mistakes = sys.argv[1:]
    starter, solution = (pathlib.Path(name).read_text(encoding="utf-8") for name in (starter, solution))
    known = runpy.run_path(mistakes)["MISTAKES"]
    forms = {
        "solution": packed(solution, starter),
        "mistakes": [{"name": name, "gap": packed(with_mistake(solution, name, changes), starter)} for name, changes in known],
    }
    pathlib.Path(output).write_text(json.dumps(forms, indent=1) + "\n", encoding="utf-8")


main()
