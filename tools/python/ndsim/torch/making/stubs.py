"""Generates C++ sources for the libraries that a CUDA build of PyTorch links to and that ndsim replaces.

PyTorch's other libraries list the symbols they need, so there is no list of names here. A symbol that ndsim does not implement
becomes a trap: a weak function that raises an error with its own name when called. It is weak so that an implementation linked
beside it wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .elf import Library, Pointer, Symbol

TORCH_CUDA = "libtorch_cuda.so"
# Nothing links to these two: PyTorch and others open them by name.
DRIVER, MANAGEMENT = "libcuda.so.1", "libnvidia-ml.so.1"

# PyTorch's own libraries, which stay as they are.
_KEPT = ("libc10.so", "libtorch_cpu.so", "libtorch.so", "libshm.so", "libtorch_python.so", "libc10_cuda.so", "libtorch_global_deps.so")
_EARLIER = ("libc10.so", "libtorch_cpu.so", "libc10_cuda.so")
# Libraries whose functions the replacement of libtorch_cuda provides; libtorch_cuda pulls in the second.
_IN_THE_SLOT = (TORCH_CUDA, "libtorch_nvshmem.so")
_SYSTEM = re.compile(r"(ld-linux|lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+|gomp|atomic)[.-])")
# A symbol without a version does not tell which library it belongs to, but CUDA's libraries have prefixes.
_PREFIXES = {"cuda": "libcudart", "cudnn": "libcudnn", "cuFile": "libcufile", "cupti": "libcupti", "cusparseLt": "libcusparseLt",
             "nccl": "libnccl", "nvtx": "libnvToolsExt"}
_DRIVER_FUNCTION = re.compile(rb"\0(cu[A-Z](?!File)[A-Za-z0-9_]+)(?=\0)")
_MANAGEMENT_FUNCTION = re.compile(rb"\0(nvml[A-Z][A-Za-z0-9_]+)(?=\0)")


@dataclass
class Stub:
    """A library that replaces one of CUDA's, or libtorch_cuda."""

    soname: str
    functions: set[str] = field(default_factory=set)
    objects: dict[str, list[Pointer | int]] = field(default_factory=dict)  # vtables, type information and data, as words
    is_versioned: bool = False  # its symbols have its name as their version

    @property
    def name(self) -> str:
        """The name without `lib` and `.so`: cudart, torch_cuda."""
        return self.soname.removeprefix("lib").split(".so")[0]


def stubs_for(torch_libraries: Path, cuda_libraries: Iterable[Path] = ()) -> list[Stub]:
    """The libraries to replace, given the folder of PyTorch's own libraries.

    `cuda_libraries`: the CUDA libraries that are installed. Binary extensions may need more of them than PyTorch does.
    """
    kept = [Library(torch_libraries / name) for name in _KEPT if (torch_libraries / name).exists()]
    inside = [Library(torch_libraries / name) for name in _IN_THE_SLOT if (torch_libraries / name).exists()]
    stubs = {name: Stub(name) for name in [*_names_to_stand_in_for(kept, torch_libraries), DRIVER, MANAGEMENT]}
    _give_out_what_is_needed(stubs, kept, inside)
    # Extensions such as torchvision's need functions that PyTorch's own libraries do not. Weak symbols are left out: they are
    # inline functions and templates, which every user defines itself.
    for library in inside:
        stubs[TORCH_CUDA].functions |= {symbol.name for symbol in library.symbols if _is_own_function(symbol)}
    for path in cuda_libraries:
        library = Library(path)
        if library.soname in stubs:
            stubs[library.soname].functions |= {symbol.name for symbol in library.symbols if _is_own_function(symbol)}
    for library in kept:
        stubs[DRIVER].functions |= _texts(_DRIVER_FUNCTION, library)
        stubs[MANAGEMENT].functions |= _texts(_MANAGEMENT_FUNCTION, library)
    return list(stubs.values())


def source_of(stub: Stub) -> str:
    """C++ that defines all symbols of a stub as weak symbols."""
    lines = [_TRAP]
    for name in sorted(stub.functions):
        lines.append(f'WEAK long {name}() {{ return ndsim_missing("{name}"); }}')
    for name, words in sorted(stub.objects.items()):
        lines += _object(name, words, stub.objects)
    return "\n".join([*lines, "}", ""])


def version_script_of(stub: Stub) -> str:
    """The linker's version script for a stub; empty if none of its symbols has a version."""
    if not stub.is_versioned:
        return ""
    return f"{stub.soname} {{ global: cu*; __cu*; nccl*; nvtx*; ndsim_*; _ZN3sim*; _ZTIN3sim*; local: *; }};\n"


def _names_to_stand_in_for(kept: list[Library], torch_libraries: Path) -> list[str]:
    needed = sorted({name for library in kept for name in library.needed if not _SYSTEM.match(name)})
    return [name for name in needed if name == TORCH_CUDA or not (torch_libraries / name).exists()]


def _give_out_what_is_needed(stubs: dict[str, Stub], kept: list[Library], inside: list[Library]) -> None:
    there = {symbol.name for library in kept for symbol in library.symbols if symbol.is_defined}
    # Libraries that load after the stub of libtorch_cuda cannot define its base classes.
    earlier = {symbol.name for library in kept if library.path.name in _EARLIER for symbol in library.symbols if symbol.is_defined}
    of_the_slot = {symbol.name: (library, symbol) for library in inside for symbol in library.symbols if symbol.is_defined}
    for symbol in {symbol for library in kept for symbol in library.symbols if not symbol.is_defined}:
        name = symbol.name
        if name in there:
            continue
        if symbol.version in stubs:
            stubs[symbol.version].is_versioned = True
            stubs[symbol.version].functions.add(name)
        elif name in of_the_slot and not _is_of_the_language(name):
            library, real = of_the_slot[name]
            if real.is_function:
                stubs[TORCH_CUDA].functions.add(name)
            else:
                _add_object(stubs[TORCH_CUDA], name, library, real.value, real.size, earlier)
        elif not symbol.version:
            stub = _stub_by_prefix(stubs, name)
            if stub is not None:
                stub.functions.add(name)


def _add_object(stub: Stub, name: str, library: Library, address: int, size: int, earlier: set[str]) -> None:
    """Add an object and, if it is type information, its bases."""
    words = stub.objects[name] = library.object_at(address, size)
    if not _is_type(name):
        return
    for index, word in enumerate(words):
        if index < 2 or not isinstance(word, Pointer):
            continue
        # A base with internal linkage has no symbol here, but its second word points to its name.
        base, at = (word.symbol, library.address_of(word.symbol)) if word.symbol else (_type_at(library, word.addend), word.addend)
        words[index] = Pointer(base, 0)
        if at and base not in earlier and base not in stub.objects:
            _add_object(stub, base, library, at, _size_of_type(library, at), earlier)


def _type_at(library: Library, address: int) -> str:
    name = library.object_at(address, 16)[1]
    return f"_ZTI{library.text_at(name.addend)}" if isinstance(name, Pointer) else ""


def _size_of_type(library: Library, address: int) -> int:
    """The size of type information, which depends on the number of bases: none, one or several."""
    kind, _, counts = library.object_at(address, 24)
    if isinstance(kind, Pointer) and "__vmi_class" in kind.symbol and isinstance(counts, int):
        return 24 + 16 * (counts >> 32)
    return 24 if isinstance(kind, Pointer) and "__si_class" in kind.symbol else 16


def _is_own_function(symbol: Symbol) -> bool:
    return symbol.is_defined and symbol.is_function and not symbol.is_weak and symbol.name not in ("_init", "_fini")


def _is_of_the_language(name: str) -> bool:
    """Whether a name is in namespace std: a trap would hide the standard library's own function."""
    return re.match(r"_Z(N[KVRO]*|T[VIST]|TVN|TIN|TSN)?(S[tabsiod]|10__cxxabiv1)", name) is not None


def _stub_by_prefix(stubs: dict[str, Stub], name: str) -> Stub | None:
    for prefix, library in _PREFIXES.items():
        if re.match(f"{prefix}[A-Z]", name):
            return next((stub for stub in stubs.values() if stub.soname.startswith(f"{library}.")), None)
    return None


def _texts(pattern: re.Pattern[bytes], library: Library) -> set[str]:
    # The leading zero lets a text at the beginning of the section match, too.
    return {match.decode() for match in pattern.findall(b"\0" + library.constants)}


def _object(name: str, words: list[Pointer | int], there: Iterable[str]) -> list[str]:
    """A weak object with these words. A vtable's functions become traps; type information keeps its bases."""
    lines, values = [f"extern WEAK const Word {name}[{len(words)}];"], []
    if _is_vtable(name):
        lines.append(f'static long trap_of{name}() {{ return ndsim_missing("{name}"); }}')
    for index, word in enumerate(words):
        if not isinstance(word, Pointer):
            values.append(f"reinterpret_cast<Word>({word:#x}ul)")
        elif _is_vtable(name) and index >= 2:
            values.append(f"reinterpret_cast<Word>(&trap_of{name})")
        elif _is_type(name) and index == 1:
            values.append(f'"{name[4:]}"')
        elif word.symbol and (_is_type(name) or word.symbol in there):
            lines.append(f"extern const Word {word.symbol}[];")
            values.append(f"&{word.symbol}[{word.addend // 8}]")
        else:
            values.append("nullptr")
    return [*lines, f"const Word {name}[] = {{{', '.join(values)}}};"]


def _is_vtable(name: str) -> bool:
    return name.startswith("_ZTV")


def _is_type(name: str) -> bool:
    return name.startswith("_ZTI")


_TRAP = """// Made by ndsim: what PyTorch needs of a library that is not there.
#include <cxxabi.h>
#include <stdexcept>
#include <string>
#define WEAK __attribute__((weak))
using Word = const void*;
extern "C" {
__attribute__((weak, visibility("hidden"), cold)) long ndsim_missing(const char* symbol) {
    int failed = 0;
    char* readable = abi::__cxa_demangle(symbol, nullptr, nullptr, &failed);  // kept: the process is about to stop
    throw std::runtime_error(std::string("ndsim does not simulate ") + (failed == 0 ? readable : symbol));
}"""
