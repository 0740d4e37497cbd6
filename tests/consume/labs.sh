#!/usr/bin/env bash
# labs.sh PREFIX FOLDER SOLUTIONS: runs the course from an installed prefix that was moved, in every language, without the source
# tree. SOLUTIONS: docs/labs.
set -euo pipefail
prefix=$1 folder=$2 solutions=$3

rm -rf "$folder"
mkdir -p "$folder"
cp -r "$prefix" "$folder/moved"
cd "$folder"
ndsim=$folder/moved/bin/ndsim
"$solutions/../../tests/labs/no_solutions.sh" "$folder/moved"

# lab NUMBER LANGUAGE OPTION STARTER SOLUTION: the starter fails and names the gap; the solution passes.
lab() {
    local number=$1 language=$2 option=$3 starter=$4 solution=$5 said desk=desk-$1-$2
    echo "lab $number in $language"
    # Some labs have no option.
    # shellcheck disable=SC2086
    "$ndsim" lab start "$number" "$desk" $option > /dev/null
    if said=$("$ndsim" lab check "$number" "$desk"); then
        echo "the starter passes" >&2
        exit 1
    fi
    grep -q "Nothing is written here yet" <<< "$said" || { echo "$said" >&2; exit 1; }
    cp "$solution" "$desk/$starter"
    "$ndsim" lab check "$number" "$desk" --json | grep -q '"passed":true'
}

lab 2 cpp "" lab.cpp "$solutions/02-ring-all-reduce/solution.cpp"
if [[ -e $folder/moved/lib/python3/dist-packages/ndsim ]]; then
    lab 2 python --python lab.py "$solutions/02-ring-all-reduce/solution.py"
fi
package=$folder/moved/lib/python3/dist-packages
if [[ -e $package/ndsim ]] &&
    PYTHONPATH=$package /usr/bin/python3 -c "from ndsim.torch.making import installed; installed.find_torch()" 2> /dev/null; then
    lab 1 torch --torch train.py "$solutions/01-data-parallel/train_solution.py"
fi
"$ndsim" lab report "$folder" | grep -q "desk-2-cpp"
