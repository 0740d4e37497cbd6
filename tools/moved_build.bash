#!/usr/bin/env bash
# moved_build.bash: sourced by the scripts that fill build/, from the root of the repository. Removes build/ if it was configured
# in another place, as in a moved or copied clone: neither its files nor its Python environments work here.
if [[ -e build/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" build/CMakeCache.txt; then
    echo "build: build/ belongs to another directory; starting over"
    rm -rf build
fi
