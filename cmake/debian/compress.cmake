# Compresses manual pages and changelogs before packaging, as Debian requires; the result is the same in every build.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/share)
file(GLOB files ${share}/man/man1/*.1 ${share}/doc/*/changelog ${share}/doc/*/changelog.Debian)
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
