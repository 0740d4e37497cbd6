#!/usr/bin/env bash
# moved_build.bash: sourced by scripts that build: removes build/ if it was configured in another place, as in a moved or copied clone: neither its
# files nor its Python environments work there.
if [[ -e build/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" build/CMakeCache.txt; then
    echo "build: build/ belongs to another directory; starting over"
    rm -rf build
fi
