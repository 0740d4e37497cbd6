#!/usr/bin/env bash
# test.sh [ctest options]: installs missing packages, builds everything, and runs the tests. For example:
#   tools/test.sh -R Ring       tests with Ring in their name
#   tools/test.sh -L hosts      one folder of tests
#   tools/test.sh -N            only lists them
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

# Checked before anything is built. A word that is not an option belongs to the option before it.
before=""
for argument in "$@"; do
    case $argument in
        -[RELj]* | -[LR]E | -V | -VV | -N | -I | -Q | -F | -LA | --*) before=option ;;
        -*) refuse "$argument" "an option of ctest" ;;
        *)
            [[ $before == option ]] || refuse "$argument" "an option of ctest"
            before=""
            ;;
    esac
done
if command -v ctest > /dev/null; then
    known=" $(ctest --help | grep -oE -- '--[a-z][a-z-]+' | tr '\n' ' ') "
    for argument in "$@"; do
        [[ $argument != --* || $known == *" ${argument%%=*} "* ]] || refuse "$argument" "an option of ctest"
    done
fi

tools/install_packages.sh test
tools/torch_environment.sh
tools/build.sh all
# One more than there are cores, because some tests wait for processes, browsers and clocks.
ctest --test-dir build --output-on-failure -j "$(($(nproc) + 1))" "$@"
