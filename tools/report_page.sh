#!/usr/bin/env bash
# report_page.sh [--check]: builds libsim/report/page/page.{css,js} from tools/report_page, with the esbuild of Debian 12: each version
# minifies differently. If another one is installed, npx brings it.
#   --check   changes nothing; fails unless the files match the sources
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

case ${1:-} in
    "" | --check) ;;
    *) refuse "$1" "--check" ;;
esac
refuse_all "${@:2}"

version=0.17.0
if [[ $(esbuild --version 2> /dev/null) == "$version"* ]]; then
    esbuild=(esbuild)
elif command -v npx > /dev/null; then
    esbuild=(npx --yes "esbuild@$version")
elif [[ ${1:-} == --check ]]; then
    echo "report page: not checked, for esbuild $version is not here, nor npx, which would bring it"
    exit 0
else
    echo "report page: esbuild $version is needed, or npx, which brings it: apt-get install npm" >&2
    exit 1
fi

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
options=(--bundle --minify --log-level=warning --legal-comments=none)
"${esbuild[@]}" "${options[@]}" --charset=ascii --format=iife --target=es2022 tools/report_page/src/main.ts --outfile="$made/page.js"
"${esbuild[@]}" "${options[@]}" tools/report_page/page.css --outfile="$made/page.css"
there=libsim/report/page
if [[ ${1:-} != --check ]]; then
    cp "$made"/page.{css,js} "$there/"
    exit 0
fi
for file in page.css page.js; do
    if ! cmp -s "$made/$file" "$there/$file"; then
        echo "$there/$file is not what tools/report_page makes; run tools/report_page.sh" >&2
        exit 1
    fi
done
echo "report page: up to date with its sources"
