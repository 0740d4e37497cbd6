# Before packages are made of them: manual pages and changelogs are compressed, as Debian has them; the same in every build.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/share)
file(GLOB files ${share}/man/man1/*.1 ${share}/doc/*/changelog ${share}/doc/*/changelog.Debian)
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
