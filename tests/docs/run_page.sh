#!/usr/bin/env bash
# run_page.sh PAGE SOURCE BUILD FOLDER: runs every shell block of a Markdown page, in order; stops at the first failure.
#
# Blocks run in FOLDER, created anew: it looks like the source directory (links to its entries, and `build` to BUILD), but a file
# that a block writes goes into FOLDER. What is run:
#   ```sh, ```bash    the whole block
#   ```console        the lines after "$ "; the others are output, and are not compared
# The line directly above a block changes that:
#   <!-- not run: WHY -->    skips the block
#   File `NAME`:             writes the block, of any language, to NAME (also, hidden: <!-- file: NAME -->)
#   <!-- output -->          compares the block with the output of the last block that was run
#   <!-- output of: COMMAND -->  runs a command that readers see in another form, and compares the block with its output
#   <!-- row: NAME after TEXT -->  inserts the block, of any language, into NAME after the first line that contains TEXT
# A page that changes ndsim itself (docs/how-to/) has a line of its own:
#   <!-- in a copy -->       FOLDER is a copy of the source directory, whose files blocks may change, and `build` a folder
#                            of its own that begins with BUILD's executables (build_changed.sh relinks them)
# Tests that ctest runs anyway are not repeated: for `build/bin/ndsim_test_X --gtest_filter=… | grep '  OK '` only the filter is
# checked to match some test. A benchmark runs as briefly as it can. Neither holds in a copy, whose programs differ.
# A page whose blocks draw its pictures has a line, too:
#   <!-- pictures drawn here -->   each picture pictures/NAME of the page must equal the file NAME that a block wrote
set -euo pipefail
page=$1 source=$2 build=$3 folder=$4

rm -rf "$folder"
mkdir -p "$folder/.blocks"
in_a_copy=false
grep -qx '<!-- in a copy -->' "$page" && in_a_copy=true
for entry in "$source"/*; do
    if [[ $(basename "$entry") == build* ]]; then
        continue
    elif $in_a_copy; then
        cp -r "$entry" "$folder/"
    else
        ln -s "$entry" "$folder/"
    fi
done
if $in_a_copy; then
    rm -rf "$folder/build"
    mkdir -p "$folder/build/bin"
    ln -s "$build"/bin/* "$folder/build/bin/"
    export NDSIM_SOURCE=$source NDSIM_BUILD=$build
else
    ln -sfn "$build" "$folder/build"
fi

# One file per block: NNN.sh to run, NNN.output to compare, or NNN.file, whose first line names the file to write.
awk -v blocks="$folder/.blocks" '
    !inside && /^ *```/ {
        indent = match($0, /`/) - 1
        language = substr($0, indent + 4)
        sub(/[ {].*/, "", language)
        inside = 1
        name = ""
        if (marker ~ /^<!-- file: / || marker ~ /^File `[^`]+`:$/) {
            name = sprintf("%s/%03d.file", blocks, ++count)
            target = marker
            gsub(/^<!-- file: | *-->.*$|^File `|`:$/, "", target)
            print target > name
        } else if (marker ~ /^<!-- row: .* after /) {
            name = sprintf("%s/%03d.row", blocks, ++count)
            target = marker
            gsub(/^<!-- row: | *-->.*$/, "", target)
            print target > name
        } else if (marker ~ /^<!-- output( of: .*)? -->$/) {
            if (marker ~ / of: /) {
                command = sprintf("%s/%03d.sh", blocks, ++count)
                gsub(/^<!-- output of: | -->$/, "", marker)
                print "# line " NR "\n" marker > command
                close(command)
            }
            name = sprintf("%s/%03d.output", blocks, ++count)
            printf "" > name
        } else if (marker !~ /^<!-- not run: [^ ]/ && language ~ /^(sh|bash|console)$/) {
            name = sprintf("%s/%03d.sh", blocks, ++count)
            print "# line " NR > name
        }
        next
    }
    inside && /^ *```/ { inside = 0; marker = ""; if (name) close(name); next }
    inside {
        if (!name) next
        line = substr($0, 1, indent) ~ /^ *$/ ? substr($0, indent + 1) : $0
        if (language == "console" && name ~ /\.sh$/) {
            if (sub(/^\$ /, "", line)) { going_on = 1 } else if (!going_on) { next }
            going_on = line ~ /\\$/
        }
        print line > name
        next
    }
    { marker = $0; sub(/^ */, "", marker) }
' "$page"

cd "$folder"
shopt -s nullglob
# Under pipefail a block would fail whenever the command before `head` or `grep -q` writes on after it has ended.
# shellcheck disable=SC2016  # expanded by the shell of the block
run_block='to_the_end() { local status=0; command "$@" || status=$?; cat > /dev/null; return "$status"; }
    head() { to_the_end head "$@"; }
    grep() { to_the_end grep "$@"; }
    . "$0"'
if ! $in_a_copy; then
    for block in .blocks/[0-9]*.sh; do
        sed -i -E "s/^(build\/bin\/ndsim_test_[a-z]+) (--gtest_filter=[^|]*) \| grep '  OK '\$/\1 --gtest_list_tests \2 | grep '^  '/
            s/--benchmark_min_time=[0-9.]+/--benchmark_min_time=0.001/" "$block"
    done
fi
for block in .blocks/[0-9]*; do
    if [[ $block == *.row ]]; then
        read -r name _ text < "$block"
        if ! $in_a_copy || ! grep -qF -- "$text" "$name"; then
            echo "$(basename "$page"): no line of $name has '$text' in it, or this is no copy" >&2
            exit 1
        fi
        line=$(grep -nF -m 1 -- "$text" "$name" | cut -d : -f 1)
        { head -n "$line" "$name"; tail -n +2 "$block"; tail -n "+$((line + 1))" "$name"; } > .blocks/changed
        cp .blocks/changed "$name"
        continue
    fi
    if [[ $block == *.file ]]; then
        name=$(head -n 1 "$block")
        # Writes only into FOLDER itself, never through a link into the source directory.
        if [[ -L ${name%%/*} || $name == /* || $name == *..* ]]; then
            echo "$(basename "$page"): $name lies outside the folder that blocks may write to" >&2
            exit 1
        fi
        mkdir -p "$(dirname "$name")"
        tail -n +2 "$block" > "$name"
        continue
    fi
    if [[ $block == *.output ]]; then
        if ! diff "$block" .blocks/printed; then
            echo "$(basename "$page"): $last printed the lines marked > and not those marked <" >&2
            exit 1
        fi
        continue
    fi
    last=$(head -n 1 "$block" | cut -c 3-)
    echo "--- $(basename "$page"), $(head -n 1 "$block" | cut -c 3-)"
    if ! bash -euo pipefail -c "$run_block" "$block" < /dev/null | tee .blocks/printed; then
        echo "$(basename "$page"), $(head -n 1 "$block" | cut -c 3-): the block failed:" >&2
        tail -n +2 "$block" >&2
        exit 1
    fi
done

if grep -qx '<!-- pictures drawn here -->' "$page"; then
    mapfile -t pictures < <(sed -nE 's|.*\]\(pictures/([^)]+)\).*|\1|p' "$page")
    for name in "${pictures[@]}"; do
        if ! cmp "$name" "$(dirname "$page")/pictures/$name"; then
            echo "$(basename "$page"): pictures/$name is not what its block draws; copy $folder/$name there" >&2
            exit 1
        fi
    done
fi
