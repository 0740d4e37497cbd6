# Settings shared by all of ndsim's own targets.

set(NDSIM_WARNINGS
    -Wall -Wextra -Wpedantic -Werror
    -Wconversion -Wsign-conversion -Wdouble-promotion -Wold-style-cast -Wcast-align -Wcast-qual
    -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wextra-semi -Wundef -Wformat=2
    # Designated initializers omit fields that keep their defaults: that is their purpose.
    -Wno-missing-field-initializers)
# libsim/namespaces.hpp declares once which namespaces are inline.
set(NDSIM_WARNINGS_CLANG -Wno-inline-namespace-reopened-noninline)
# With a precompiled standard library, g++ 12 applies these to its headers and reports false positives.
set(NDSIM_WARNINGS_GNU -Wlogical-op -Wduplicated-cond
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    # A reference into a table, looked up by a key made from a literal, is mistaken for one into the key.
    list(APPEND NDSIM_WARNINGS_GNU -Wno-dangling-reference)
endif()
# In a unity build, g++ takes a .cpp file for a header.
list(APPEND NDSIM_WARNINGS_GNU -Wno-subobject-linkage)

if(NDSIM_UNITY_BUILD)
    # In a unity build, a parameter may have the same name as an entity of another file. The clang preset, without unity
    # builds, finds the shadowing that matters.
    list(REMOVE_ITEM NDSIM_WARNINGS -Wshadow)
    list(APPEND NDSIM_WARNINGS_GNU -Wshadow=local)
endif()

# C++20, include paths relative to the root of the repository, and floating point that no compiler flag changes.
# Warnings are errors only in our own build: a newer compiler in another project must not fail on our code.
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

# Precompiles the headers that nearly every file includes, once per set of flags, and compiles twelve source files at a
# time. All code is position-independent, because Python's module is a shared library. The clang preset disables both,
# and so finds missing includes.
set(NDSIM_COMMON_HEADERS
    <fmt/format.h> <algorithm> <array> <cstdint> <functional> <map> <memory> <numeric> <optional> <set> <span> <string>
    <string_view> <unordered_map> <utility> <variant> <vector> <nlohmann/json.hpp>)
# ndsim_compiled_together(NAME [LITTLE_OPTIMISED]): for code that takes little of a run's time, optimising beyond -O1
# costs a third more compile time for no benefit. g++ 14 rejects headers that were precompiled at another level.
function(ndsim_compiled_together name)
    set(headers ndsim_common_headers)
    set(level "")
    if(ARGN)
        string(APPEND headers _little_optimised)
        set(level $<$<CONFIG:Release>:-O1>)
    endif()
    if(NOT TARGET ${headers})
        file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${headers}.cpp CONTENT "")
        add_library(${headers} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${headers}.cpp)
        ndsim_target(${headers})
        find_package(nlohmann_json REQUIRED)
        target_link_libraries(${headers} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
        target_precompile_headers(${headers} PRIVATE ${NDSIM_COMMON_HEADERS})
        target_compile_options(${headers} PRIVATE ${level} -fPIC)
    endif()
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:fmt::fmt>)
    target_precompile_headers(${name} REUSE_FROM ${headers})
    target_compile_options(${name} PRIVATE ${level} -fPIC)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${NDSIM_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# A program, or a library that only our programs link.
function(ndsim_program_target name)
    ndsim_target(${name})
    ndsim_compiled_together(${name} LITTLE_OPTIMISED)
endfunction()

# A static library of the package: ndsim_library(core SOURCES ...) makes ndsim_core, also known as ndsim::core.
function(ndsim_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "LITTLE_OPTIMISED" "" "SOURCES")
    add_library(ndsim_${name} STATIC ${arg_SOURCES})
    add_library(ndsim::${name} ALIAS ndsim_${name})
    set_target_properties(ndsim_${name} PROPERTIES EXPORT_NAME ${name})
    target_include_directories(ndsim_${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    ndsim_target(ndsim_${name})
    set(level "")
    if(arg_LITTLE_OPTIMISED)
        set(level LITTLE_OPTIMISED)
    endif()
    ndsim_compiled_together(ndsim_${name} ${level})
endfunction()
