#!/usr/bin/env bash
# coverage.sh [PERCENT]: branch coverage of the kernel, the process host and the file readers; prints a table by room,
# and writes each missed branch to build/coverage/missed.txt. Half an hour on two cores, most of it for a separate
# build. Exit code 1: a room has less than PERCENT (90). Only branches in the source count, not the exception paths that
# the compiler adds to every call.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

least=${1:-90}
refuse_unless_number "$least"
refuse_all "${@:2}"
# room | description
rooms=(
    "libsim/kernel|the kernel"
    "ranks/process|processes and what is between them"
    "libsim/config|TOML, options, units, sizes"
    "libsim/interop/goal|GOAL schedules"
    "libsim/interop/chakra|Chakra traces"
    "libsim/interop/trace_files|traces of viewers and of PyTorch"
)

tools/install_packages.sh coverage > /dev/null
cmake --preset coverage -G Ninja > /dev/null
cmake --build --preset coverage -j 2
find build/coverage -name '*.gcda' -delete
log=build/coverage/tests.txt
# Unoptimised code may exceed a time limit; only the counts matter here.
ctest --test-dir build/coverage -j 2 --timeout 600 -L '^(unit|formulas|parallel|hosts|chakra|fuzz|properties|scenarios|cli)$' \
    > "$log" 2>&1 || sed -n '/tests failed out of/p' "$log"

counts=build/coverage/counts.json
filters=()
for row in "${rooms[@]}"; do
    filters+=(--filter "${row%%|*}/")
done
gcovr --root . "${filters[@]}" --exclude-throw-branches --exclude-unreachable-branches --gcov-ignore-parse-errors \
    --object-directory build/coverage --json "$counts" -j 2 > build/coverage/gcovr.txt 2>&1

failed=0
printf '%-27s %9s %9s %8s  %s\n' room branches taken share ''
: > build/coverage/missed.txt
for row in "${rooms[@]}"; do
    IFS='|' read -r room what <<< "$row"
    gcovr --root . --add-tracefile "$counts" --filter "$room/" --branches >> build/coverage/missed.txt
    read -r _ branches taken share < <(tail -n 2 build/coverage/missed.txt | grep '^TOTAL')
    printf '%-27s %9s %9s %8s  %s\n' "$room" "$branches" "$taken" "$share" "$what"
    ((${share%\%} >= least)) || failed=1
done
exit $failed
