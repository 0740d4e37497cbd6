#!/usr/bin/env bash
# run_page.sh PAGE SOURCE BUILD FOLDER: runs every shell block of a Markdown page, in order; stops at the first failure.
#
# Blocks run in FOLDER, made anew: it looks like the source directory (links to what lies there, and `build` to
# BUILD), but a file that a block writes lands in FOLDER. What is run:
#   ```sh, ```bash    all of it
#   ```console        the lines after "$ "; the others are output, and are not compared
# The line directly above a block changes that:
#   <!-- not run: WHY -->    the block is left out
#   <!-- output -->          the block is what the last block that was run has printed, and is compared with it
#   File `NAME`:             the block, of any language, is written to NAME (also, hidden: <!-- file: NAME -->)
set -euo pipefail
page=$1 source=$2 build=$3 folder=$4

rm -rf "$folder"
mkdir -p "$folder/.blocks"
for entry in "$source"/*; do
    [[ $(basename "$entry") == build* ]] || ln -s "$entry" "$folder/"
done
ln -sfn "$build" "$folder/build"

# One file per block: NNN.sh to run, NNN.output to compare, or NNN.file whose first line is the name to write to.
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
        } else if (marker == "<!-- output -->") {
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
for block in .blocks/[0-9]*; do
    if [[ $block == *.file ]]; then
        name=$(head -n 1 "$block")
        # Into FOLDER itself, never through a link into the source directory.
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
    if ! bash -euo pipefail "$block" < /dev/null | tee .blocks/printed; then
        echo "$(basename "$page"), $(head -n 1 "$block" | cut -c 3-): the block failed:" >&2
        tail -n +2 "$block" >&2
        exit 1
    fi
done
