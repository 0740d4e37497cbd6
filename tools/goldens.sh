#!/usr/bin/env bash
# goldens.sh [NAME]: writes the current output of commands into tests/cli/goldens/, all of it or only NAME.golden. Needs
# a build; `git diff` then shows how a change affects the output.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

name=${1:-}
[[ -z $name || -e tests/cli/goldens/$name.golden ]] || refuse "$name" "the name of a file of tests/cli/goldens/"
refuse_all "${@:2}"

NDSIM_WRITE_GOLDENS=1 build/bin/ndsim_test_cli --gtest_brief=1 --gtest_filter="Goldens.Of${name^}*"
git --no-pager diff --stat -- tests/cli/goldens
