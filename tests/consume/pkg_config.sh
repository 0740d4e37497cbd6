#!/usr/bin/env bash
# pkg_config.sh COMPILER FOLDER PC_FOLDER: compiles programs with pkg-config's flags, and runs them.
set -euo pipefail
compiler=$1 folder=$2
export PKG_CONFIG_PATH=$3
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)

rm -rf "$folder"
mkdir -p "$folder"
read -ra flags < <(pkg-config --cflags --libs ndsim)
for program in custom_scenario every_room log_lines; do
    echo "run $program"
    "$compiler" -std=c++20 -O1 "$here/$program.cpp" -o "$folder/$program" "${flags[@]}"
    "$folder/$program"
done
