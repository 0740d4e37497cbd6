# What every target of ndsim's own has in common.

set(NDSIM_WARNINGS
    -Wall -Wextra -Wpedantic -Werror
    -Wconversion -Wsign-conversion -Wdouble-promotion -Wold-style-cast -Wcast-align -Wcast-qual
    -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wextra-semi -Wundef -Wformat=2
    # A designated initializer leaves out what keeps its default: that is its purpose.
    -Wno-missing-field-initializers)
set(NDSIM_WARNINGS_GNU -Wlogical-op -Wduplicated-cond)

# C++20, includes as they lie from the root of the repository, and floating point that no compiler flag changes.
# Warnings are errors only in our own build: another project's newer compiler must not fail on ours.
function(ndsim_target name)
    target_compile_features(${name} PUBLIC cxx_std_20)
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${ndsim_SOURCE_DIR}>)
    target_compile_options(${name} PRIVATE -ffp-contract=off)
    if(ndsim_IS_TOP_LEVEL)
        target_compile_options(${name} PRIVATE ${NDSIM_WARNINGS} $<$<CXX_COMPILER_ID:GNU>:${NDSIM_WARNINGS_GNU}>)
    endif()
endfunction()

# A static library of the package: ndsim_library(core SOURCES ...) makes ndsim_core, known as ndsim::core.
function(ndsim_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
    add_library(ndsim_${name} STATIC ${arg_SOURCES})
    add_library(ndsim::${name} ALIAS ndsim_${name})
    set_target_properties(ndsim_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
    target_include_directories(ndsim_${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    ndsim_target(ndsim_${name})
endfunction()
