# Settings of a stand-alone build of ndsim: default build type, output folders, sanitizers, coverage.

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT multi_config AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    # In unoptimised builds a precompiled fmt enables optimisation for parts of what follows it, and Eigen fails to
    # compile.
    set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(NDSIM_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=: address,undefined or thread")
if(NDSIM_SANITIZE)
    add_compile_options(-fsanitize=${NDSIM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${NDSIM_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # With the sanitizers' instrumentation, g++ warns falsely of uninitialized values in std::optional.
        list(APPEND NDSIM_WARNINGS_GNU -Wno-maybe-uninitialized)
    endif()
    if(NDSIM_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # The fences of ranks/process order memory between processes, which the thread sanitizer cannot see anyway.
        list(APPEND NDSIM_WARNINGS_GNU -Wno-tsan)
    endif()
endif()

option(NDSIM_COVERAGE "Count which branches run; tools/coverage.sh" OFF)
if(NDSIM_COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic)
    add_library(ndsim_dump_coverage OBJECT ${CMAKE_CURRENT_LIST_DIR}/dump_coverage.cpp)
    target_compile_definitions(ndsim_dump_coverage PRIVATE NDSIM_COVERAGE_LOCK="${CMAKE_BINARY_DIR}/counts.lock")
    add_link_options(--coverage -Wl,--wrap=_exit -Wl,--wrap=kill)
    link_libraries($<TARGET_OBJECTS:ndsim_dump_coverage>)
endif()
