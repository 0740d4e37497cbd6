#!/usr/bin/env bash
# wrong_calls.sh COMPILER SOURCES FOLDER: checks that calls that forget a unit do not compile, and that the compiler's error is
# the sentence beside them in wrong_calls.txt, in a few lines. The headers are parsed once.
set -euo pipefail
compiler=$1 sources=$2 folder=$3
calls=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)/wrong_calls.txt
most_lines=20

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
flags=(-std=c++20 "-I$sources" -w -fno-diagnostics-show-caret)
echo '#include <libsim/gpu.hpp>
#include <libsim/collectives/all_reduce.hpp>
#include <chrono>
#include <string>
#include <vector>' > all.hpp
"$compiler" "${flags[@]}" -x c++-header all.hpp -o all.hpp.gch

# compile CALLS: compiles a program that makes these calls.
compile() {
    echo "using namespace std::chrono_literals;
using namespace sim::literals;
void program(sim::GPU& gpu, const sim::Group& group, std::vector<double>& data) {
$1
}" > calls.cpp
    "$compiler" "${flags[@]}" -include all.hpp -fsyntax-only calls.cpp > said 2>&1
}

failed=0
fail() {
    echo "$1" >&2
    failed=1
}
right_calls=""
while IFS= read -r line; do
    call=${line%% //*} wanted=${line##*// }
    case $wanted in
        "#"*) ;;
        compiles) right_calls+="$call"$'\n' ;;
        *)
            if compile "$call"; then
                fail "$call compiles"
            elif ! grep 'error: ' said | head -n 1 | grep -qF "$wanted" || (($(wc -l < said) > most_lines)); then
                fail "$call is not refused with '$wanted' in $most_lines lines, but with: $(cat said)"
            fi
            ;;
    esac
done < "$calls"
compile "$right_calls" || fail "calls that are right do not compile: $(cat said)"
exit $failed
