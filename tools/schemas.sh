#!/usr/bin/env bash
# schemas.sh: writes what of tools/schemas/ is read off the code: the files of commands that have a record (libsim/report/record.hpp),
# and the switches of a layout (libsim/training/layout_fields.hpp). Needs a build.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash
refuse_all "$@"

NDSIM_WRITE_SCHEMAS=1 build/bin/ndsim_test_scenarios --gtest_brief=1 --gtest_filter='*DeclaredSchemas*:LayoutFields.AreWhatTheSchemaSays'
git --no-pager diff --stat -- tools/schemas
