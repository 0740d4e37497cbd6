#!/usr/bin/env bash
# schemas.sh: writes the files of tools/schemas/ that are read off a record (libsim/report/record.hpp). Needs a build.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

usage="usage: tools/schemas.sh"
case ${1:-} in
    -h | --help)
        echo "$usage"
        exit 0
        ;;
esac
if (($# > 0)); then
    echo "$usage" >&2
    exit 2
fi
NDSIM_WRITE_SCHEMAS=1 build/bin/ndsim_test_scenarios --gtest_brief=1 --gtest_filter='*DeclaredSchemas*'
git --no-pager diff --stat -- tools/schemas
