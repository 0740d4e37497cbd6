#!/usr/bin/env bash
# site.sh: the documentation site, in build/site/html. Installs what is missing, builds the programs whose options and pictures it
# shows, and fails for a link that leads nowhere. It needs no network but for packages that are missing.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash
refuse_all "$@"

tools/install_packages.sh docs
tools/build.sh demo
# The Python package has the sentences of its reference, where it can be built.
if [[ $(cmake --build build --target help) == *ndsim_python* ]]; then
    cmake --build build --target ndsim_python
fi
# Debian's Python, which has Debian's Sphinx.
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tools/site/build.py . build build/site
echo "site: build/site/html/index.html"
