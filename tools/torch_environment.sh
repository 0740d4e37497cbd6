#!/usr/bin/env bash
# torch_environment.sh: makes a Python environment with PyTorch 2 in build/torch, where there is none yet, for the tests of scripts on
# it. None of the packages that PyTorch drives GPUs with is installed: simulated ones need none.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash
refuse_all "$@"

folder=build/torch
version=2.13.0
if [[ -e $folder/ready-$version ]]; then
    exit
fi
python=/usr/bin/python3
[[ -x $python ]] || python=python3
echo "torch: PyTorch $version into $folder"
rm -rf "$folder"
"$python" -m venv "$folder"
"$folder/bin/pip" install --quiet --no-deps "torch==$version"
"$folder/bin/pip" install --quiet setuptools filelock fsspec jinja2 networkx sympy typing_extensions numpy pytest
touch "$folder/ready-$version"
