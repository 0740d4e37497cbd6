# Builds Debian packages from the installed files: `cmake --build build --target ndsim_deb` writes to build/packages.
#   ndsim           the programs, with their manual pages and completion
#   libndsim-dev    static libraries, headers, the CMake package and the pkg-config file
#   python3-ndsim   the Python package, for the Python that it was built for
# Dependencies on shared libraries are determined by dpkg-shlibdeps.
find_program(NDSIM_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(NDSIM_SHLIBDEPS)
if(NOT NDSIM_SHLIBDEPS OR NOT TARGET ndsim_tool)
    return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The authors of ndsim <authors@ndsim.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator for parallel training of neural networks")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL programs development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The scenarios share most of their code, which xz exploits: a third of the size with gzip.
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Packages of one version differ by system: 0.1.0-1~debian12.
cmake_host_system_information(RESULT system QUERY DISTRIB_INFO)
set(CPACK_DEBIAN_PACKAGE_RELEASE "1~${system_ID}${system_VERSION_ID}")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/debian/changelog.in debian/changelog.Debian @ONLY)

# ndsim_deb(COMPONENT PACKAGE SECTION DEPENDS SENTENCE...): makes a package of one install component.
function(ndsim_deb component package section depends)
    string(TOUPPER ${component} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package} PARENT_SCOPE)
    set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
    set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
    string(JOIN "\n" description ${ARGN}
        "ndsim runs a training program as many ranks, real processes or fibers, on"
        "simulated GPUs and networks, and says how long it takes there.")
    set(CPACK_DEBIAN_${key}_DESCRIPTION "${description}" PARENT_SCOPE)
    set(doc ${CMAKE_INSTALL_DATADIR}/doc/${package})
    install(FILES cmake/debian/copyright ${CMAKE_CURRENT_BINARY_DIR}/debian/changelog.Debian
            DESTINATION ${doc} COMPONENT ${component} EXCLUDE_FROM_ALL)
    install(FILES CHANGELOG.md DESTINATION ${doc} RENAME changelog COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

ndsim_deb(programs ndsim science ""
    "The program ndsim, the scenarios, and the hardware data and JSON schemas to read.")
# `ndsim lab` compiles C++ programs and runs Python programs with these.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "libndsim-dev, python3-ndsim, g++")
# Static libraries need the Boost version they were compiled with; Debian packages several side by side.
set(boost ${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR})
ndsim_deb(development libndsim-dev libdevel "libboost-context${boost}-dev, libboost${boost}-dev, libfmt-dev, libssl-dev, zlib1g-dev"
    "Static libraries and headers, for find_package(ndsim) and pkg-config.")
if(TARGET ndsim_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
    find_package(Python3 QUIET COMPONENTS Interpreter)
    math(EXPR next "${Python3_VERSION_MINOR} + 1")
    ndsim_deb(python python3-ndsim python "python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next})"
        "The Python module ndsim, with ndsim.torchrun, which runs PyTorch scripts.")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "ndsim, python3-numpy")
    # The CUDA simulation is compiled against the installed PyTorch.
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "g++, python3-dev, python3-venv")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
        "${ndsim_SOURCE_DIR}/cmake/debian/postinst;${ndsim_SOURCE_DIR}/cmake/debian/prerm")
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${ndsim_SOURCE_DIR}/cmake/debian/compress.cmake)
include(CPack)

add_custom_target(ndsim_deb COMMAND ${CMAKE_CPACK_COMMAND} --config ${CMAKE_BINARY_DIR}/CPackConfig.cmake
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR} USES_TERMINAL VERBATIM)
add_dependencies(ndsim_deb ndsim_demo)
if(TARGET ndsim_python)
    add_dependencies(ndsim_deb ndsim_python)
endif()
