#!/usr/bin/env bash
# build_site.sh PYTHON SOURCE BUILD FOLDER: builds the documentation site into FOLDER; fails on a warning or a dead link. Exits
# with 77, which skips the test, if a package that builds the site is missing.
set -euo pipefail
python=$1 source=$2 build=$3 folder=$4

if ! "$python" -c 'import breathe, furo, myst_parser, sphinx, sphinx_copybutton' 2> /dev/null || ! command -v doxygen > /dev/null; then
    echo "the site is not built: tools/install_packages.sh docs installs what it takes"
    exit 77
fi
"$python" -B "$source/tools/site/build.py" "$source" "$build" "$folder"
for page in index docs/quickstart docs/concepts docs/formulas reference/programs/ndsim-train reference/cpp/libsim reference/python; do
    [[ -s $folder/html/$page.html ]] || { echo "$page is not there" >&2; exit 1; }
done
