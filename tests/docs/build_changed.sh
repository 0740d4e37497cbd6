#!/usr/bin/env bash
# build_changed.sh NAME: in a copy of the source directory (run_page.sh), links the executable NAME with what was changed
# there: compiles new and changed .cpp files, what NAME links of the files that include a changed header, and FILEs, as they or
# their neighbours are compiled, and takes all other objects from the build. A .cpp file takes seconds, a header that many
# include takes minutes.
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

# The object files of the build that NAME is linked from: of a library, those alone that something refers to. One in a line,
# of a library as TARGET/FILE.o.
linked_objects() {
    local traced=${link/ -o bin\/$name/ -Wl,--trace,--trace -o $PWD\/build\/traced}
    (cd "$build" && eval "$traced") |
        sed -nE 's|^\(?[^ ]*lib([^/]*)\.a[()]([^/()]*\.o)\)?$|\1/\2|p; s|^.*/([^/]*)\.dir/([^/]*/)*([^/]*\.o)$|\1/\3|p'
}

# The .cpp files of the objects in build/linked that include one of the headers. The build knows what each object was made of.
files_that_include() {
    ninja -C "$build" -t deps | awk -v source="$source/" -v also="$(realpath --relative-to="$build" "$source")/" -v headers="$*" '
        function in_source(file) {
            if (index(file, source) == 1) return substr(file, length(source) + 1)
            if (index(file, also) == 1) return substr(file, length(also) + 1)
            return ""
        }
        BEGIN { count = split(headers, names, " "); for (i = 1; i <= count; ++i) changed[names[i]] = 1 }
        FILENAME == "build/linked" { linked[$1] = 1; next }
        /^[^ ]/ {
            object = $1
            sub(/:$/, "", object)
            target = object
            sub(/\.dir\/.*/, "", target)
            sub(/.*\//, "", target)
            sub(/.*\//, "", object)
            wanted = (target "/" object) in linked
            file = ""
            next
        }
        wanted && NF == 1 {
            name = in_source($1)
            if (file == "" && name ~ /\.cpp$/) file = name
            if (name in changed && file != "") { print file; wanted = 0 }
        }' build/linked -
}

objects=()
compiled=" "
running=()
compile() {
    local file=$1 like=$2 object
    [[ $compiled == *" $file "* ]] && return
    compiled+="$file "
    object=$PWD/build/changed/${file//\//_}.o
    mkdir -p build/changed
    command=$(command_of "$like")
    command=${command//-I$source/-I$PWD}
    command=${command//NDSIM_SOURCE_DIR=\\\"$source\\\"/NDSIM_SOURCE_DIR=\\\"$PWD\\\"}
    old=$(sed -E 's/.* -o ([^ ]+) .*/\1/' <<< "$command")
    command=${command/ -o $old / -o $object }
    command=${command/ -c $like/ -c $PWD/$file}
    # Where the source directory is compiled in, a precompiled header of the other one does not fit.
    (cd "$build" && eval "$command -Wno-invalid-pch") &
    running+=($!)
    if ((${#running[@]} >= $(nproc))); then
        wait "${running[0]}"
        running=("${running[@]:1}")
    fi
    objects+=("$object")
    [[ $like == *"/$file" ]] && replaced+=("$old") || replaced+=("")
}

# The linker takes an object that it is given rather than the library's of the same name.
link=$(ninja -C "$build" -t commands "bin/$name" | tail -n 1)
replaced=()
headers=()
hardware=false
while read -r file; do
    case $file in
        *.cpp) compile "$file" "$(known_file "$file")" ;;
        *.toml) hardware=true ;;
        *.hpp)
            if [[ -e $source/$file ]]; then headers+=("$file"); fi
            ;;
    esac
done < <(changed_files)
if ((${#headers[@]} > 0)); then
    linked_objects > build/linked
    while read -r file; do
        compile "$file" "$source/$file"
    done < <(files_that_include "${headers[@]}")
fi
for file in "${@:2}"; do
    compile "$file" "$source/$file"
done
if $hardware; then
    cmake -DFOLDER="$PWD/libsim/training/hardware" -DOUTPUT="$PWD/build/hardware_files.cpp" -P cmake/ndsim_embed.cmake
    compile build/hardware_files.cpp "$build/libsim/hardware_files.cpp"
fi
for process in "${running[@]}"; do
    wait "$process"
done

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
