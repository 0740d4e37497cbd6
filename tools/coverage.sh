#!/usr/bin/env bash
# coverage.sh [PERCENT]: which branches the tests run, in the kernel, in the process host and in what reads files;
# a table by room, and each branch that no test takes in build/coverage/missed.txt. Half an hour on two cores, most of it
# for a build of its own. Exit code 1: a room has less than PERCENT (90).
# A branch is one that somebody wrote: those to where an exception goes on, which the compiler adds to every call, are
# not counted.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

least=${1:-90}
refuse_unless_number "$least"
refuse_all "${@:2}"
# room | what it is
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
# What is slow without being optimised may fail a limit of time; the counts are what is wanted.
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
