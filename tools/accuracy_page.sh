#!/usr/bin/env bash
# accuracy_page.sh [--check]: writes the output of `ndsim validate` on the shipped runs into docs/accuracy.md, between
# the two markers; the text around them is kept. Needs a build in build/ (or NDSIM_BUILD).
#   --check   changes nothing; fails, with the difference, if the page is not what it would write
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

check=no
case ${1:-} in
    "") ;;
    --check) check=yes ;;
    *) refuse "$1" "--check" ;;
esac
refuse_all "${@:2}"

ndsim=${NDSIM_BUILD:-build}/bin/ndsim
page=docs/accuracy.md
if [[ ! -x $ndsim ]]; then
    echo "accuracy_page.sh: $ndsim is not built; tools/build.sh builds it" >&2
    exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    echo '```text'
    "$ndsim" validate docs/data/published_runs.json
    echo '```'
} > "$work/table"

awk -v table="$work/table" '
    /^<!-- end of ndsim validate -->$/ { inside = 0; ends++ }
    !inside { print }
    /^<!-- begin of ndsim validate/ {
        inside = 1
        begins++
        while ((getline line < table) > 0) print line
    }
    END { if (begins != 1 || ends != 1) exit 1 }
' "$page" > "$work/page" || {
    echo "accuracy_page.sh: $page has no pair of markers: begin of ndsim validate, end of ndsim validate" >&2
    exit 1
}

if [[ $check == yes ]]; then
    diff -u "$page" "$work/page" || {
        echo "accuracy_page.sh: $page is not up to date; tools/accuracy_page.sh updates it" >&2
        exit 1
    }
elif ! cmp -s "$work/page" "$page"; then
    cat "$work/page" > "$page"
fi
echo "accuracy_page.sh: $page is up to date"
