#!/usr/bin/env bash
# goldens.sh [NAME]: writes what commands print today into tests/cli/goldens/, all of it or NAME.golden alone; and with no NAME
# or with "layout" the part of tools/schemas/ that describes the switches of a layout.
# Needs a build; `git diff` then shows what a change did to what is printed.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

usage="usage: tools/goldens.sh [NAME]"
case ${1:-} in
    -h | --help)
        echo "$usage"
        exit 0
        ;;
esac
name=${1:-}
if (($# <= 1)) && [[ -z $name || $name == layout ]]; then
    NDSIM_WRITE_GOLDENS=1 build/bin/ndsim_test_scenarios --gtest_brief=1 --gtest_filter='LayoutFields.AreWhatTheSchemaSays'
    git --no-pager diff --stat -- tools/schemas
    if [[ $name == layout ]]; then exit; fi
fi
if (($# > 1)) || [[ -n $name && ! -e tests/cli/goldens/$name.golden ]]; then
    echo "$usage, where tests/cli/goldens/ has NAME.golden" >&2
    exit 2
fi
NDSIM_WRITE_GOLDENS=1 build/bin/ndsim_test_cli --gtest_brief=1 --gtest_filter="Goldens.Of${name^}*"
git --no-pager diff --stat -- tests/cli/goldens
