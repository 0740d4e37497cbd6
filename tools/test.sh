#!/usr/bin/env bash
# test.sh [ctest options]: installs what is missing, builds everything, runs the tests. For example:
#   tools/test.sh -R Ring       tests whose name has Ring in it
#   tools/test.sh -L hosts      one folder of tests
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

tools/install_packages.sh test
tools/build.sh all
ctest --test-dir build --output-on-failure -j2 "$@"
