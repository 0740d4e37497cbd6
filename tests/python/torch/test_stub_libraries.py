"""Libraries that replace CUDA's, generated from what PyTorch's libraries need: here from four small ones of the same shape."""

import subprocess
import sys

import pytest

from ndsim.torch.making import compiler, elf, stubs

CUDART, BASE, CUDA, BINDINGS = "libcudart.so.13", "libtorch_cpu.so", "libtorch_cuda.so", "libtorch_python.so"

# A small model of the real libraries: a base, a class of libtorch_cuda with a hidden base, and a user of both.
SOURCES = {
    CUDART: 'extern "C" int cudaAnswer() { return 1; } extern "C" int cudaUnused() { return 2; }',
    BASE: "struct Base { virtual ~Base(); }; Base::~Base() {}",
    CUDA: """
        struct Base { virtual ~Base(); };
        struct __attribute__((visibility("hidden"))) Middle : Base { virtual int number(); };
        int Middle::number() { return 1; }
        struct Leaf : Middle { int number() override; };
        int Leaf::number() { return 2; }
        namespace at { long sleep(long) { return 0; } long unused(int) { return 1; } }
    """,
    BINDINGS: """
        #include <typeinfo>
        struct Base { virtual ~Base(); };
        struct Leaf;
        namespace at { long sleep(long); }
        extern "C" int cudaAnswer();
        extern const char _ZTI4Leaf[];
        extern "C" long call_sleep() { return at::sleep(3); }
        extern "C" int call_runtime() { return cudaAnswer(); }
        extern "C" const char* name_of_leaf() { return reinterpret_cast<const std::type_info*>(_ZTI4Leaf)->name(); }
    """,
}


@pytest.fixture(scope="module")
def torch_libraries(tmp_path_factory):
    """The folder with the four libraries."""
    folder = tmp_path_factory.mktemp("lib")
    (folder / "versions").write_text(f"{CUDART} {{ global: *; }};\n")
    cxx = compiler.find_compiler()
    for name, source in SOURCES.items():
        path = folder / f"{name}.cpp"
        path.write_text(source)
        options = [f"-Wl,--version-script={folder}/versions"] if name == CUDART else []
        links = {CUDA: [BASE], BINDINGS: [BASE, CUDA, CUDART]}.get(name, [])
        cxx.run(["-std=c++17", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-Wl,--no-as-needed", *options, str(path),
                 *(str(folder / link) for link in links), "-o", str(folder / name)])
    (folder / CUDART).rename(folder.parent / CUDART)  # CUDA's own libraries are elsewhere, or missing
    return folder


@pytest.fixture(scope="module")
def made(torch_libraries):
    """The stubs by name."""
    return {stub.name: stub for stub in stubs.stubs_for(torch_libraries)}


def test_a_library_says_its_name_and_what_it_needs(torch_libraries):
    bindings = elf.Library(torch_libraries / BINDINGS)
    assert bindings.soname == BINDINGS
    assert {CUDART, BASE, CUDA} <= set(bindings.needed)


def test_a_needed_symbol_has_the_version_of_its_library(torch_libraries):
    symbols = {symbol.name: symbol for symbol in elf.Library(torch_libraries / BINDINGS).symbols}
    assert symbols["cudaAnswer"].version == CUDART and not symbols["cudaAnswer"].is_defined
    assert symbols["call_sleep"].is_defined and symbols["call_sleep"].is_function


def test_what_is_no_library_is_refused(tmp_path):
    (tmp_path / "text").write_text("not a library")
    with pytest.raises(elf.NotALibrary, match="text is no shared library"):
        elf.Library(tmp_path / "text")


def test_each_library_that_is_not_there_has_a_stub(made):
    assert {stub.soname for stub in made.values()} == {CUDART, CUDA, stubs.DRIVER, stubs.MANAGEMENT}


def test_a_stub_has_what_is_needed_of_it(made):
    assert made["cudart"].functions == {"cudaAnswer"}
    assert made["cudart"].is_versioned and not made["torch_cuda"].is_versioned


def test_the_stub_of_libtorch_cuda_has_its_functions_for_binary_extensions(made):
    assert {"_ZN2at5sleepEl", "_ZN2at6unusedEi"} <= made["torch_cuda"].functions


def test_an_installed_runtime_lends_its_functions(torch_libraries):
    found = {stub.name: stub for stub in stubs.stubs_for(torch_libraries, [torch_libraries.parent / CUDART])}
    assert found["cudart"].functions == {"cudaAnswer", "cudaUnused"}


def test_type_information_keeps_bases_that_nobody_sees(made):
    objects = made["torch_cuda"].objects
    assert objects["_ZTI4Leaf"][2] == elf.Pointer("_ZTI6Middle", 0)
    assert objects["_ZTI6Middle"][2] == elf.Pointer("_ZTI4Base", 0)


def test_no_trap_stands_before_the_standard_library():
    assert stubs._is_of_the_language("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm")
    assert stubs._is_of_the_language("_ZNKSs4sizeEv")
    assert not stubs._is_of_the_language("_ZN2at4cuda5sleepEl")
    assert not stubs._is_of_the_language("_ZN5Sound4playEv")


USE = """
import ctypes, sys
stubs, libraries = sys.argv[1:3]
for name in ("cudart", "torch_cuda"):
    ctypes.CDLL(f"{stubs}/nd_{name}.so", mode=ctypes.RTLD_GLOBAL)
bindings = ctypes.CDLL(f"{libraries}/libtorch_python.so")
bindings.name_of_leaf.restype = ctypes.c_char_p
print(bindings.name_of_leaf().decode(), bindings.call_runtime(), flush=True)
bindings.call_sleep()
"""


@pytest.fixture(scope="module")
def linked(torch_libraries, made, tmp_path_factory):
    """The folder with the compiled stubs of the runtime, which has an implementation, and of libtorch_cuda, which has none."""
    folder = tmp_path_factory.mktemp("stubs")
    cxx = compiler.find_compiler()
    (folder / "own.cpp").write_text('extern "C" int cudaAnswer() { return 42; }')
    for name, own in (("cudart", [str(folder / "own.cpp")]), ("torch_cuda", [])):
        (folder / f"{name}.cpp").write_text(stubs.source_of(made[name]))
        (folder / f"{name}.map").write_text(stubs.version_script_of(made[name]))
        script = [f"-Wl,--version-script={folder}/{name}.map"] if made[name].is_versioned else []
        cxx.run(["-shared", "-fPIC", *own, str(folder / f"{name}.cpp"), f"-Wl,-soname,{made[name].soname}", *script,
                 str(torch_libraries / BASE), f"-Wl,-rpath,{torch_libraries}", "-o", str(folder / f"nd_{name}.so")])
    return folder


def test_libraries_load_on_the_stubs_and_a_trap_names_itself(linked, torch_libraries):
    done = subprocess.run([sys.executable, "-c", USE, str(linked), str(torch_libraries)], capture_output=True, text=True, check=False)
    # The name in the type information; the implementation, which won over the trap; the trap.
    assert done.stdout == "4Leaf 42\n"
    assert "ndsim does not simulate at::sleep(long)" in done.stderr


def test_every_trap_is_weak(linked):
    assert all(symbol.is_weak for symbol in elf.Library(linked / "nd_torch_cuda.so").symbols
               if symbol.is_defined and symbol.name.startswith("_Z"))
