# The installed package: libraries, public headers, scenarios, and the files for CMake and pkg-config. Its components
# are `programs`, `development` and, in tools/python, `python`: each becomes a Debian package (ndsim_debian.cmake).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ndsim)

get_property(rooms GLOBAL PROPERTY NDSIM_INSTALLED_ROOMS)
list(TRANSFORM rooms PREPEND ndsim_)
install(TARGETS ${rooms} ndsim_sim ndsim_planning ndsim_ranks ndsim_lab EXPORT ndsim_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT ndsim_targets NAMESPACE ndsim:: FILE ndsim_targets.cmake DESTINATION ${package_dir} COMPONENT development)

install(CODE "include(\"${ndsim_SOURCE_DIR}/cmake/ndsim_public_headers.cmake\")
ndsim_install_public_headers(\"${ndsim_SOURCE_DIR}\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")" COMPONENT development)
# For people to read and to copy; the library has them compiled in.
foreach(data IN ITEMS hardware models)
    install(DIRECTORY libsim/training/${data}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ndsim/${data} COMPONENT programs
            FILES_MATCHING PATTERN *.toml)
endforeach()
install(DIRECTORY tools/schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ndsim/schemas COMPONENT programs
        FILES_MATCHING PATTERN *.json)

configure_package_config_file(cmake/ndsim-config.cmake.in ndsim-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(ndsim-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ndsim-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/ndsim-config-version.cmake
        DESTINATION ${package_dir} COMPONENT development)

# The prefix is relative to the file's own place, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
# Static libraries in link order: dependents before their dependencies.
list(REVERSE rooms)
list(TRANSFORM rooms PREPEND -l)
list(JOIN rooms " " libsim_libraries)
configure_file(cmake/ndsim.pc.in ndsim.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ndsim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

get_property(scenarios GLOBAL PROPERTY NDSIM_SCENARIOS)
if(scenarios)
    install(TARGETS ${scenarios} ndsim_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
    # Manual pages and completion scripts, where bash, zsh and fish look for them. Excludes share/ndsim, because labs
    # are built differently in an installed tree (tools/labs).
    foreach(folder IN ITEMS man bash-completion zsh fish)
        install(DIRECTORY ${CMAKE_BINARY_DIR}/share/${folder} DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT programs)
    endforeach()
endif()
