#!/usr/bin/env bash
# no_solutions.sh PATH...: fails if a file among them has a line that a lab's solution has between its marks. Lines that
# learners get as well, in a starter or on a page, do not count, nor do short ones, which many programs have.
set -euo pipefail
labs=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../docs/labs" && pwd)
least=24 # characters

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mapfile -t solutions < <(find "$labs" -name 'solution.*' -o -name 'train_solution.py' | sort)
find "$labs" \( -name '*.md' -o -name 'patients.*' \) -exec cat {} + > "$folder/pages"
awk -v least=$least -v pages="$folder/pages" '
    /Your lines end here/ { in_gap = 0 }
    !in_gap || /Starter: / { print >> pages; if (/Your lines begin here/) in_gap = 1; next }
    /^ *(\/\/|#)/ { next }
    { sub(/^ +/, ""); if (length >= least) print }' "${solutions[@]}" | sort -u > "$folder/marked"
while read -r line; do
    grep -qF -- "$line" "$folder/pages" || echo "$line"
done < "$folder/marked" > "$folder/lines"

count=$(wc -l < "$folder/lines")
((count > 150)) || { echo "the solutions have only $count lines of their own" >&2; exit 1; }
if grep -raohF -f "$folder/lines" "$@" | sort -u > "$folder/found"; then
    grep -ralF -f "$folder/lines" "$@" | head >&2
    head "$folder/found" >&2
    exit 1
fi
