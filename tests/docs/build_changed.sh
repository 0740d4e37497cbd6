#!/usr/bin/env bash
# build_changed.sh NAME [FILE]...: in a copy of the source directory (run_page.sh), links the executable NAME with the changes
# made there. It compiles new and changed .cpp files, the FILEs, and the files linked into NAME that include a changed header,
# each together with its batch, and takes all other objects from the build. A .cpp file takes seconds; a header that many files
# include takes minutes.
# build_changed.sh --touched: lists the new and the changed files, one per line.
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

# One at a time: pages run in parallel, and ninja may rewrite its logs when it opens them.
ask_ninja() { flock "$build/build.ninja" ninja -C "$build" "$@"; }

# The command that compiles a file in the build: its line of compile_commands.json.
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
# The unit that the build compiles: a file of the source directory, or a batch that includes several of them.
batches=()
while read -r batch; do
    batches+=("$batch")
done < <(sed -nE 's#^ *"file": "(.*/(Unity|batches)/[^/"]*)".*#\1#p' "$build/compile_commands.json")
batch_of() {
    ((${#batches[@]} > 0)) && grep -lF "#include \"$1\"" "${batches[@]}" | head -n 1 | grep .
}
# The copy is inside the build, too.
is_batch() { [[ $1 == "$build"/* && $1 != "$PWD"/* ]]; }
compiled_with() {
    if [[ -n $(command_of "$1") ]]; then echo "$1"; else batch_of "$1"; fi
}
# The file whose compile command applies: the file itself, else one in the same folder, else one in the folder above.
neighbour_of() {
    local file=$source/$1 like
    for like in "$file" "$(dirname "$file")"/*.cpp "$(dirname "$(dirname "$file")")"/*.cpp; do
        [[ -e $like ]] && compiled_with "$like" && return
    done
}

# The build's object files that NAME is linked from; of a library, only those that something references. One per line, those of a
# library as TARGET/FILE.o.
linked_objects() {
    local traced=${link/ -o bin\/$name/ -Wl,--trace,--trace -o $PWD\/build\/traced}
    (cd "$build" && eval "$traced") |
        sed -nE 's|^\(?[^ ]*lib([^/]*)\.a[()]([^/()]*\.o)\)?$|\1/\2|p; s|^.*/([^/]*)\.dir/([^/]*/)*([^/]*\.o)$|\1/\3|p'
}

# The sources behind the objects in build/linked that include one of the headers, by the build's own dependency records.
compiled_from() {
    ask_ninja -t deps | awk -v source="$source/" -v headers="$*" '
        BEGIN { count = split(headers, names, " "); for (i = 1; i <= count; ++i) changed[source names[i]] = 1 }
        FILENAME == "build/linked" { linked[$1] = 1; next }
        /^[^ ]/ {
            object = $1
            sub(/:$/, "", object)
            target = object
            sub(/\.dir\/.*/, "", target)
            sub(/.*\//, "", target)
            sub(/.*\//, "", object)
            wanted = (target "/" object) in linked
            unit = ""
            next
        }
        wanted && NF == 1 {
            if (unit == "" && $1 ~ /\.(cpp|cxx)$/) unit = $1
            if ($1 in changed) { print unit; wanted = 0 }
        }' build/linked -
}

objects=()
compiled=" "
running=()
generated="" # for sed: the copy's generated sources instead of the build's
# compile FILE LIKE: compiles FILE of the copy as the build compiles LIKE. A batch is copied first, to include the copy's files.
compile() {
    local file=$1 like=$2 object
    [[ $compiled == *" $file "* ]] && return
    compiled+="$file "
    mkdir -p build/changed
    object=$PWD/build/changed/$(echo "${file#"$build"/}" | tr / _).o
    if is_batch "$file"; then
        file=${object%.o}
        sed "\|\"$build/|! s|\"$source/|\"$PWD/|; $generated" "$like" > "$file"
    fi
    command=$(command_of "$like")
    command=${command//-I$source/-I$PWD}
    command=${command//NDSIM_SOURCE_DIR=\\\"$source\\\"/NDSIM_SOURCE_DIR=\\\"$PWD\\\"}
    old=$(sed -E 's/.* -o ([^ ]+) .*/\1/' <<< "$command")
    command=${command/ -o $old / -o $object }
    command=${command/ -c $like/ -c $file}
    # Optimised less, which a page does not notice. Precompiled headers that no longer fit are ignored.
    (cd "$build" && eval "${command/ -O3 / -O1 } -Wno-invalid-pch") &
    running+=($!)
    if ((${#running[@]} >= $(nproc))); then
        wait "${running[0]}"
        running=("${running[@]:1}")
    fi
    objects+=("$object")
    [[ $1 == "$PWD/${like#"$source"/}" || $1 == "$like" ]] && replaced+=("$old") || replaced+=("")
}
# Compiles a file of the copy together with its batch; a new file alone.
compile_file() {
    local unit
    if unit=$(compiled_with "$source/$1"); then
        compile_unit "$unit"
    else
        compile "$PWD/$1" "$(neighbour_of "$1")"
    fi
}
compile_unit() {
    if is_batch "$1"; then compile "$1" "$1"; else compile "$PWD/${1#"$source"/}" "$1"; fi
}

# The linker prefers an object on its command line to the object of the same name in a library.
link=$(ask_ninja -t commands "bin/$name" | tail -n 1)
replaced=()
headers=()
# Data files are compiled in by generated sources, which are made as in the build, from the copy's files.
mapfile -t remade < <(changed_files | sed -nE 's#^libsim/training/hardware/.*\.toml$#libsim/hardware_files.cpp#p
    s#^libsim/training/models/.*\.toml$#libsim/family_files.cpp#p' | sort -u)
for file in "${remade[@]}"; do
    mkdir -p "$(dirname "build/$file")"
    made=$(ask_ninja -t commands "$file" | tail -n 1)
    made=${made//$build\/$file/$PWD\/build\/$file}
    (eval "${made//$source\/libsim/$PWD/libsim}")
    generated+="s|\"$build/$file\"|\"$PWD/build/$file\"|; "
done
for file in "${remade[@]}"; do
    compile_unit "$(compiled_with "$build/$file")"
done
while read -r file; do
    case $file in
        *.cpp) compile_file "$file" ;;
        *.hpp)
            if [[ -e $source/$file ]]; then headers+=("$file"); fi
            ;;
    esac
done < <(changed_files)
if ((${#headers[@]} > 0)); then
    linked_objects > build/linked
    while read -r unit; do
        compile_unit "$unit"
    done < <(compiled_from "${headers[@]}")
fi
for file in "${@:2}"; do
    compile_file "$file"
done
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
