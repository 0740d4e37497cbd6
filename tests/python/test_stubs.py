"""The type stub matches the compiled module: every class, function, method, property and parameter."""

import ast
import inspect
import pathlib
import re

import ndsim
from ndsim import _ndsim

STUB = ast.parse(pathlib.Path(ndsim.__file__).with_name("_ndsim.pyi").read_text())


def parameters(function):
    """The parameter names in the stub."""
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [each.arg for each in every if each.arg != "self"]


def parameters_of_compiled(function):
    """The same, from the signature at the start of the docstring."""
    signature = re.match(r"\w+\((.*)\)", function.__doc__.splitlines()[0]).group(1)
    names = re.findall(r"(?:^|, )(\w+)(?=[:=,)]|$)", signature)
    return [name for name in names if name not in ("self", "arg0")]


def test_the_stub_has_every_class_and_function():
    public = {name for name in vars(_ndsim) if not name.startswith("_")}
    assert {node.name for node in STUB.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))} == public


def test_the_stub_has_every_member_of_every_class():
    for node in STUB.body:
        if isinstance(node, ast.ClassDef):
            stub = {each.name for each in node.body if not each.name.startswith("_")}
            assert stub == {name for name in vars(getattr(_ndsim, node.name)) if not name.startswith("_")}, node.name


def test_the_stub_has_every_parameter():
    for node in STUB.body:
        for function in node.body if isinstance(node, ast.ClassDef) else []:
            compiled = inspect.getattr_static(getattr(_ndsim, node.name), function.name)
            if callable(compiled) and not isinstance(compiled, staticmethod) and not function.name.startswith("_"):
                assert parameters(function) == parameters_of_compiled(compiled), f"{node.name}.{function.name}"


def test_every_public_thing_has_a_docstring():
    for name in ndsim.__all__:
        assert (getattr(ndsim, name).__doc__ or "").strip(), name
    for name, member in vars(ndsim.GPU).items():
        assert name.startswith("_") or member.__doc__.rstrip().endswith("."), name
