#!/usr/bin/env bash
# setup.sh: Gradescope runs it once, as root, to build the image that grades submissions of lab @number@.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
if ! python3 -c 'import ensurepip, venv' 2> /dev/null; then
    apt-get update
    apt-get install -y python3 python3-venv
fi
python3 -m venv "$here/../ndsim"
cd "$here"
"$here/../ndsim/bin/python" -m pip install @install@
"$here/../ndsim/bin/ndsim" --version
