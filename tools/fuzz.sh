#!/usr/bin/env bash
# fuzz.sh [SECONDS [TARGET …]]: searches for inputs that crash the parsers. Each target of tests/fuzz/targets.cpp gets
# SECONDS (60), starting from its corpus; findings are in build/fuzz/findings/.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

seconds=${1:-60}
refuse_unless_number "$seconds"
shift || true
for target in "$@"; do
    [[ -d tests/fuzz/corpus/$target ]] || refuse "$target" "a folder of tests/fuzz/corpus"
done
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
    mapfile -t targets < <(ls tests/fuzz/corpus)
fi

cmake --preset fuzz -G Ninja > /dev/null
cmake --build --preset fuzz -j 2
findings=build/fuzz/findings
mkdir -p "$findings"
failed=()
for target in "${targets[@]}"; do
    grown=build/fuzz/corpus/$target
    mkdir -p "$grown"
    log=$findings/$target.log
    if ! NDSIM_FUZZ_TARGET=$target build/fuzz/bin/ndsim_fuzz -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
        -max_len=16384 -print_final_stats=1 -artifact_prefix="$findings/$target-" \
        "$grown" "tests/fuzz/corpus/$target" > "$log" 2>&1; then
        failed+=("$target")
    fi
    printf '%-14s %12s executions\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: //p' "$log")"
done
if [[ ${#failed[@]} -gt 0 ]]; then
    printf 'fuzz: findings in %s: see %s/*.log\n' "${failed[*]}" "$findings" >&2
    exit 1
fi
