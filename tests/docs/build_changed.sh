#!/usr/bin/env bash
# build_changed.sh NAME: in a copy of the source directory (run_page.sh), links the executable NAME with what was changed
# there: compiles new and changed .cpp files, and FILEs, as their neighbours are compiled, and takes all other objects from the
# build. Takes seconds. A changed header fails: who adds a thing by a file and a row changes none.
# build_changed.sh --touched: names the new and the changed files, one in a line.
set -euo pipefail
source=$NDSIM_SOURCE build=$NDSIM_BUILD

changed_files() {
    for folder in libsim ranks tools scenarios docs; do
        diff -rq "$source/$folder" "$folder" || true
    done | sed -nE "s|^Files .* and (.*) differ\$|\\1|p; s|^Only in ([^/]*.*): (.*)\$|\\1/\\2|p" | while read -r file; do
        if [[ -d $file ]]; then find "$file" -type f; else echo "$file"; fi
    done | grep -v '^/' | sort
}
if [[ $1 == --touched ]]; then
    changed_files
    exit
fi
name=$1
if [[ ! -e $build/build.ninja ]]; then
    echo "build_changed: this test needs a build by ninja" >&2
    exit 1
fi

# How a file of the build is compiled: its line of compile_commands.json.
command_of() {
    awk -v file="\"file\": \"$1\"" '
        /^ *"command": / { command = $0 }
        index($0, file) {
            sub(/^ *"command": "/, "", command)
            sub(/",$/, "", command)
            gsub(/\\"/, "\"", command)
            gsub(/\\\\/, "\\", command)
            print command
            exit
        }' "$build/compile_commands.json"
}

# A file that the build knows: the file itself, else one of the same folder, else of the one above.
known_file() {
    local folder
    [[ -n $(command_of "$source/$1") ]] && echo "$source/$1" && return
    for folder in "$(dirname "$1")" "$(dirname "$(dirname "$1")")"; do
        sed -nE "s|^ *\"file\": \"($source/$folder/[^/\"]*)\".*|\\1|p" "$build/compile_commands.json" | head -n 1 | grep . && return
    done
}

objects=()
compile() {
    local file=$1 like=$2 object
    object=$PWD/build/changed/${file//\//_}.o
    mkdir -p build/changed
    command=$(command_of "$like")
    command=${command//-I$source/-I$PWD}
    command=${command//NDSIM_SOURCE_DIR=\\\"$source\\\"/NDSIM_SOURCE_DIR=\\\"$PWD\\\"}
    old=$(sed -E 's/.* -o ([^ ]+) .*/\1/' <<< "$command")
    command=${command/ -o $old / -o $object }
    command=${command/ -c $like/ -c $PWD/$file}
    # Where the source directory is compiled in, a precompiled header of the other one does not fit.
    (cd "$build" && eval "$command -Wno-invalid-pch")
    objects+=("$object")
    [[ $like == *"/$file" ]] && replaced+=("$old") || replaced+=("")
}

replaced=()
hardware=false
while read -r file; do
    case $file in
        *.cpp) compile "$file" "$(known_file "$file")" ;;
        *.toml) hardware=true ;;
        *.hpp)
            if [[ -e $source/$file ]]; then
                echo "build_changed: $file is included by others" >&2
                exit 1
            fi
            ;;
    esac
done < <(changed_files)
for file in "${@:2}"; do
    compile "$file" "$source/$file"
done
if $hardware; then
    cmake -DFOLDER="$PWD/libsim/training/hardware" -DOUTPUT="$PWD/build/hardware_files.cpp" -P cmake/ndsim_embed.cmake
    compile build/hardware_files.cpp "$build/libsim/hardware_files.cpp"
fi

# The linker takes an object that it is given rather than the library's of the same name.
link=$(ninja -C "$build" -t commands "bin/$name" | tail -n 1)
for i in "${!objects[@]}"; do
    if [[ -n ${replaced[i]} && $link == *" ${replaced[i]} "* ]]; then
        link=${link/ ${replaced[i]} / ${objects[i]} }
    else
        link=${link/ -o / ${objects[i]} -o }
    fi
done
rm -f "build/bin/$name"
link=${link/ -o bin\/$name/ -o $PWD\/build\/bin\/$name}
(cd "$build" && eval "$link")
