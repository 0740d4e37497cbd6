#!/usr/bin/env bash
# schemas.sh: writes the parts of tools/schemas/ that are generated from records (libsim/report/record.hpp): the files
# of commands, their columns, and their shared parts; and the table of a layout's switches in docs/ndsim-train.md. Needs
# a build.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash
refuse_all "$@"

NDSIM_WRITE_SCHEMAS=1 build/bin/ndsim_test_scenarios --gtest_brief=1 --gtest_filter='*DeclaredSchemas*:LayoutFields.AreTheTableOfTheirPage'
git --no-pager diff --stat -- tools/schemas docs/ndsim-train.md
