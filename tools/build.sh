#!/usr/bin/env bash
# build.sh [scenarios|demo|deb|all]: configures if necessary, and builds Release into build/.
#   scenarios  the five scenarios
#   demo       that, `ndsim`, and everything that is installed
#   deb        that, the Python package, and Debian packages of it, in build/packages
#   all        everything, including tests and benchmarks (default)
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

what=${1:-all}
case $what in
    scenarios) target=ndsim_demo_scenarios ;;
    demo) target=ndsim_demo ;;
    deb) target=ndsim_deb ;;
    all) target=all ;;
    *) refuse "$what" "scenarios, demo, deb or all" ;;
esac
refuse_all "${@:2}"
cache=build/CMakeCache.txt
. tools/moved_build.bash

options=()
if [[ $what == all ]]; then
    options+=(-DNDSIM_BUILD_TESTS=ON -DNDSIM_BUILD_BENCH=ON)
else
    # Left alone once it is set: turning tests off and on would reconfigure each time.
    [[ -e $cache ]] || options+=(-DNDSIM_BUILD_TESTS=OFF -DNDSIM_BUILD_BENCH=OFF)
fi
if [[ ! -e $cache ]]; then
    options+=(-DCMAKE_BUILD_TYPE=Release)
    if command -v ninja > /dev/null; then
        options+=(-G Ninja)
    fi
fi

jobs=$(nproc)
# The compiler takes up to 1 GB: on a machine with many cores and little memory, fewer jobs are faster.
memory_jobs=$(awk '/^MemAvailable/ { print int($2 / 1e6) + 1 }' /proc/meminfo)
if ((memory_jobs < jobs)); then
    jobs=$memory_jobs
fi

is_on() { grep -q "^$1:BOOL=ON" "$cache"; }
if [[ ! -e $cache ]] || { [[ $what == all ]] && ! { is_on NDSIM_BUILD_TESTS && is_on NDSIM_BUILD_BENCH; }; }; then
    echo "build: configuring build/"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    cmake -S . -B build "${options[@]}" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
echo "build: $what, $jobs jobs"
cmake --build build --target "$target" -j "$jobs"
