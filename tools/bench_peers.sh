#!/usr/bin/env bash
# bench_peers.sh [RANKS...]: a ring all-reduce message by message, in ndsim and in SimGrid alternately: messages per
# second of CPU time, best of 3. Installs libsimgrid-dev if it is missing. Default: 64 256 1024.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

sizes=("$@")
[[ $# -gt 0 ]] || sizes=(64 256 1024)
for size in "${sizes[@]}"; do
    refuse_unless_number "$size"
done
if [[ ! -e /usr/include/simgrid/s4u.hpp ]]; then
    sudo=()
    [[ $(id -u) == 0 ]] || sudo=(sudo)
    "${sudo[@]}" apt-get install -y --no-install-recommends libsimgrid-dev
fi
[[ -e build/CMakeCache.txt ]] || cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DNDSIM_BUILD_BENCH=ON > /dev/null
cmake build > /dev/null
cmake --build build --target ndsim_bench ndsim_peer_simgrid -j "$(nproc)" > /dev/null

ours() { # ranks, load
    build/bin/ndsim_bench --benchmark_filter="^ring_${2/-/_}/$1\$" --benchmark_min_time=0.1 --benchmark_format=csv 2> /dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i ~ /messages\/s/) column = i } END { printf "%.0f\n", $column }'
}
simgrid() {
    build/bin/ndsim_peer_simgrid "$1" "$2" 2> /dev/null | awk '{ print $1 }'
}

printf '%6s  %-10s  %14s  %14s  %6s\n' ranks load ndsim/s SimGrid/s ratio
for load in lock-step jittered; do
    for ranks in "${sizes[@]}"; do
        best_ours=0
        best_peer=0
        for _ in 1 2 3; do
            now=$(ours "$ranks" "$load")
            ((now > best_ours)) && best_ours=$now
            now=$(simgrid "$ranks" "$load")
            ((now > best_peer)) && best_peer=$now
        done
        printf '%6d  %-10s  %14d  %14d  %6.1f\n' "$ranks" "$load" "$best_ours" "$best_peer" \
            "$(awk "BEGIN { print $best_ours / $best_peer }")"
    done
done
