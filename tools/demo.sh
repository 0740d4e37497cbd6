#!/usr/bin/env bash
# demo.sh: installs missing packages, builds the scenarios, runs each of them as real processes, and draws its timeline.
# Then builds `ndsim` and everything that is installed with it, and compares all runs in one table. Output of each run:
# build/demo/NAME.json, log lines in build/demo/NAME.log, timeline in NAME.trace.json.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash
refuse_all "$@"

tools/install_packages.sh run
tools/build.sh scenarios

# The pictures go through a pipe, which has neither width nor colours.
export COLUMNS=80
if [[ -t 1 && ${TERM:-dumb} != dumb ]]; then
    export CLICOLOR_FORCE=${CLICOLOR_FORCE:-1}
fi

mkdir -p build/demo
rm -f build/demo/*
results=()
for scenario in build/bin/[0-9]d_*; do
    name=$(basename "$scenario")
    result=build/demo/$name.json
    echo "run: $name"
    if ! "$scenario" --json --trace "build/demo/$name.trace.json" > "$result" 2> "build/demo/$name.log"; then
        cat "build/demo/$name.log" >&2
        echo "run: $name failed" >&2
        exit 1
    fi
    results+=("$result")
    "$scenario" --quiet --timeline | sed '/^$/,$d'
    echo
done
echo "The scenarios have been shown. Next, ndsim is built, which compares them in one table, and what is installed with it."
tools/build.sh demo
echo
build/bin/ndsim compare "${results[@]}"
echo
echo "Log lines of every rank: build/demo/*.log. Timelines, for https://ui.perfetto.dev: build/demo/*.trace.json."
