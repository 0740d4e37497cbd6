#!/usr/bin/env bash
# build_and_run.sh CMAKE COMPILER PROJECT BUILD_TYPE PREFIX: builds a consumer from scratch and runs its programs.
set -euo pipefail
cmake=$1 compiler=$2 project=$3 build_type=$4 prefix=$5

rm -rf "$project/build"
# Searches only this test's prefix, so that another installed ndsim is not found.
"$cmake" -S "$project" -B "$project/build" -DCMAKE_BUILD_TYPE="$build_type" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
"$cmake" --build "$project/build" -j 2
# Inside another build ndsim is compiled as it is alone, so that none of it is recompiled.
if [[ -e $project/build/objects.txt ]]; then
    cut -d ' ' -f 1 "$project/build/objects.txt" | sort | uniq -c
    if grep ^compiled "$project/build/objects.txt"; then
        echo "these objects of ndsim were compiled with other options or of other sources than those of the build" >&2
        exit 1
    fi
fi
for program in my_scenario every_room log_lines simulator_only model_only step_time; do
    [[ -e $project/build/$program ]] || continue  # step_time: only if requested
    echo "run $program"
    "$project/build/$program"
done
echo "my_scenario prints what its ranks log"
lines=$("$project/build/my_scenario" 2>&1)
echo "$lines"
test "$(grep -c '^ *16.100s \[PID [0-9]*\] Rank [0-3]: first value 10.000000$' <<< "$lines")" = 4
