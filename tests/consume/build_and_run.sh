#!/usr/bin/env bash
# build_and_run.sh CMAKE COMPILER PROJECT BUILD_TYPE PREFIX: builds a consumer from nothing and runs what it built.
set -euo pipefail
cmake=$1 compiler=$2 project=$3 build_type=$4 prefix=$5

rm -rf "$project/build"
# Only the prefix of this test: another ndsim that happens to be installed must not be found.
"$cmake" -S "$project" -B "$project/build" -DCMAKE_BUILD_TYPE="$build_type" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
"$cmake" --build "$project/build" -j 2
for program in my_scenario log_lines simulator_only model_only; do
    echo "run $program"
    "$project/build/$program"
done
