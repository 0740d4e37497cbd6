# What every target of ndsim's own has in common.

set(NDSIM_WARNINGS
    -Wall -Wextra -Wpedantic -Werror
    -Wconversion -Wsign-conversion -Wdouble-promotion -Wold-style-cast -Wcast-align -Wcast-qual
    -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wextra-semi -Wundef -Wformat=2
    # A designated initializer leaves out what keeps its default: that is its purpose.
    -Wno-missing-field-initializers)
# libsim/namespaces.hpp says once which namespaces are inline.
set(NDSIM_WARNINGS_CLANG -Wno-inline-namespace-reopened-noninline)
# Where the standard library is precompiled, g++ 12 looks into it for these and finds what is not there.
set(NDSIM_WARNINGS_GNU -Wlogical-op -Wduplicated-cond
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
# In a batch, g++ takes a .cpp file for a header.
list(APPEND NDSIM_WARNINGS_GNU -Wno-subobject-linkage)

if(NDSIM_UNITY_BUILD)
    # In a batch, a parameter may have the name of what another file has for itself. The clang preset, without batches, finds the
    # shadows that count.
    list(REMOVE_ITEM NDSIM_WARNINGS -Wshadow)
    list(APPEND NDSIM_WARNINGS_GNU -Wshadow=local)
endif()

# C++20, includes as they lie from the root of the repository, and floating point that no compiler flag changes.
# Warnings are errors only in our own build: another project's newer compiler must not fail on ours.
function(ndsim_target name)
    target_compile_features(${name} PUBLIC cxx_std_20)
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${ndsim_SOURCE_DIR}>)
    target_compile_options(${name} PRIVATE -ffp-contract=off)
    if(ndsim_IS_TOP_LEVEL)
        target_compile_options(${name} PRIVATE ${NDSIM_WARNINGS} $<$<CXX_COMPILER_ID:GNU>:${NDSIM_WARNINGS_GNU}>
            $<$<CXX_COMPILER_ID:Clang>:${NDSIM_WARNINGS_CLANG}>)
    endif()
endfunction()

# What nearly every file includes, parsed once for all; and twelve source files at a time. All code is fit for a shared library, as
# Python's module is one and precompiled headers serve only what is compiled alike. The clang preset goes without both, and finds
# what a file forgets to include.
set(NDSIM_COMMON_HEADERS
    <fmt/format.h> <algorithm> <array> <cstdint> <functional> <map> <memory> <numeric> <optional> <set> <span> <string>
    <string_view> <unordered_map> <utility> <variant> <vector> <nlohmann/json.hpp>)
function(ndsim_compiled_together name)
    if(NOT TARGET ndsim_common_headers)
        file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/common_headers.cpp CONTENT "")
        add_library(ndsim_common_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/common_headers.cpp)
        ndsim_target(ndsim_common_headers)
        find_package(nlohmann_json REQUIRED)
        target_link_libraries(ndsim_common_headers PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
        target_precompile_headers(ndsim_common_headers PRIVATE ${NDSIM_COMMON_HEADERS})
        target_compile_options(ndsim_common_headers PRIVATE -fPIC)
    endif()
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:fmt::fmt>)
    target_precompile_headers(${name} REUSE_FROM ndsim_common_headers)
    target_compile_options(${name} PRIVATE -fPIC)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${NDSIM_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# A program, or a library that only our programs link: where its time goes does not show, so that little is optimised.
function(ndsim_program_target name)
    ndsim_target(${name})
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    ndsim_compiled_together(${name})
endfunction()

# A static library of the package: ndsim_library(core SOURCES ...) makes ndsim_core, known as ndsim::core.
function(ndsim_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
    add_library(ndsim_${name} STATIC ${arg_SOURCES})
    add_library(ndsim::${name} ALIAS ndsim_${name})
    set_target_properties(ndsim_${name} PROPERTIES EXPORT_NAME ${name})
    target_include_directories(ndsim_${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    ndsim_target(ndsim_${name})
    ndsim_compiled_together(ndsim_${name})
endfunction()
