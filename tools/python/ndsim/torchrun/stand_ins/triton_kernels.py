"""Triton kernels: any can be defined, and those known by name can be launched.

A kernel's source tells nothing about its price. A kernel that `known_kernels/` has by module and name is computed and priced by
an operator of `kernels/`; launching any other is refused, with its name.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

from ..refusals import OWN_KERNELS, refuse
from . import known_kernels

OTHER_ARGUMENTS = "its arguments differ from those of the known kernel of this name; use a matching version of its package"


class Anything:
    """Stands for any name of Triton's language while kernels are defined: supports calls, attributes and operators."""

    def __init__(self, *names: Any, **settings: Any) -> None:
        self.value = names[0] if names else None

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        return Anything(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __getitem__(self, index: Any) -> Any:
        return Anything()

    def __or__(self, other: Any) -> Any:
        return Anything()

    __ror__ = __or__

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__


class Kernel:
    """A function given to `triton.jit`, or the result of an autotuner or a heuristic."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.fn = function
        self.arg_names = list(inspect.signature(function).parameters)
        self.settings: dict[str, Any] = {}

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return functools.partial(self.run, grid=grid, warmup=False)

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        refuse(f"{self.full_name}, called without a grid,", OWN_KERNELS)

    @property
    def full_name(self) -> str:
        return f"the Triton kernel {self.fn.__module__}.{self.fn.__qualname__}"

    def run(self, *arguments: Any, grid: Any, warmup: bool = False, **settings: Any) -> None:
        launch = known_kernels.known(self.fn.__module__, self.fn.__name__)
        if launch is None:
            refuse(self.full_name, OWN_KERNELS)
            return
        given = dict(zip(self.arg_names, arguments)) | settings
        wanted = inspect.signature(launch).parameters
        if any(each.default is inspect.Parameter.empty and name not in given for name, each in wanted.items()):
            refuse(self.full_name, OTHER_ARGUMENTS)
        launch(**{name: given[name] for name in wanted if name in given})


def jit(function: Any = None, **settings: Any) -> Any:
    """triton.jit, as a function and as a decorator."""
    return Kernel(function) if function is not None else Kernel


def same_kernel(*settings: Any, **more: Any) -> Callable[[Any], Any]:
    """triton.autotune and triton.heuristics: their choices are irrelevant because nothing is compiled."""
    return lambda kernel: kernel


def leave_unwrapped(torch: Any) -> None:
    """Make torch.library.wrap_triton return a kernel unchanged: the wrapper shows launches to tracers, and there is no tracing
    here."""
    for module in (torch.library, sys.modules.get("torch._library.triton")):
        real = getattr(module, "wrap_triton", None)
        if real is not None:
            setattr(module, "wrap_triton", as_it_is(real))


def as_it_is(wrap: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda kernel: kernel if isinstance(kernel, Kernel) else wrap(kernel)


@functools.cache
def hide_from_torch() -> None:
    """Make PyTorch's own imports of Triton fail, as on a machine without it, although the script has a stand-in."""
    real = builtins.__import__

    def import_for_scripts(name: str, globals: Any = None, *rest: Any, **settings: Any) -> Any:
        if name.partition(".")[0] == "triton" and str((globals or {}).get("__name__")).partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'triton'", name="triton")
        return real(name, globals, *rest, **settings)

    # An import hook is not asked again for an imported module; only __import__ sees every importer.
    setattr(builtins, "__import__", import_for_scripts)  # noqa: B010
    has_package: Any = getattr(sys.modules.get("torch.utils._triton"), "has_triton_package", None)
    if has_package is not None:
        has_package.cache_clear()
