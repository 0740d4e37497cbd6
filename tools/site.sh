#!/usr/bin/env bash
# site.sh: builds the documentation site in build/site/html. Installs missing packages, builds the programs whose
# options and pictures it shows, and fails on broken links. Needs the network only for missing packages.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash
refuse_all "$@"

tools/install_packages.sh docs
tools/build.sh demo
# The Python reference takes its text from the package, if that can be built.
if [[ $(cmake --build build --target help) == *ndsim_python* ]]; then
    cmake --build build --target ndsim_python
fi
# Debian's Python, because it has Debian's Sphinx.
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tools/site/build.py . build build/site
echo "site: build/site/html/index.html"
