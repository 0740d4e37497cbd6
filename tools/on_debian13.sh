#!/usr/bin/env bash
# on_debian13.sh demo | tests [CTEST OPTION...] | run COMMAND...: creates a Debian 13 in a folder with debootstrap,
# copies this source tree into it, and works in the copy. An earlier build there is reused. Run as root, or with sudo.
#   demo   tools/demo.sh
#   tests  tools/test.sh
#   run    any command line of bash, in the root of the copy, such as `run cmake --preset clang`
# The folder is build/debian13, or NDSIM_DEBIAN13; to remove it, delete it: nothing stays mounted. If CCACHE_DIR is set
# and ccache is installed here, it is also used there, with the same cache.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

what=${1:-}
case $what in
    demo) refuse_all "${@:2}"; command="tools/demo.sh" ;;
    tests) command="tools/test.sh ${*@Q}" command=${command/\'tests\'/} ;;
    run) (($# > 1)) || refuse "" "a command"; command="${*:2}" ;;
    *) refuse "$what" "demo, tests or run" ;;
esac
source=$PWD
folder=$(realpath -m "${NDSIM_DEBIAN13:-build/debian13}")
tree=/srv/ndsim

if [[ $EUID -ne 0 ]]; then
    command -v sudo > /dev/null || { echo "debian13: debootstrap and chroot want root, and sudo is not at hand" >&2; exit 1; }
    exec sudo --preserve-env=NDSIM_DEBIAN13,CCACHE_DIR,CMAKE_CXX_COMPILER_LAUNCHER,http_proxy,https_proxy "$source/tools/on_debian13.sh" "$@"
fi
for program in debootstrap unshare; do
    command -v "$program" > /dev/null || { echo "debian13: $program is missing: apt-get install debootstrap util-linux" >&2; exit 1; }
done

make_system() {
    local partial=$folder.partial
    echo "debian13: debootstrap into $folder"
    rm -rf "$partial"
    mkdir -p "$partial"
    if ! debootstrap --variant=minbase --include=ca-certificates,git trixie "$partial" > "$partial.log" 2>&1; then
        tail -n 5 "$partial.log" >&2
        echo "debian13: debootstrap failed; all it said is in $partial.log" >&2
        exit 1
    fi
    rm "$partial.log"
    mv "$partial" "$folder"
}
[[ -e $folder/etc/debian_version ]] || make_system

# Copies new files and deletes those removed here, but keeps what was built there.
copy_sources() {
    mkdir -p "$folder$tree"
    find "$folder$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    git ls-files -z --cached --others --exclude-standard --deduplicate |
        while IFS= read -r -d '' file; do [[ -e $file || -L $file ]] && printf '%s\0' "$file"; done |
        tar --create --null --files-from=- | tar --extract --no-same-owner --directory "$folder$tree"
}
copy_sources
# Name resolution and certificates come from this machine, which may use its own proxy.
cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
cp -L /etc/hosts "$folder/etc/hosts"
cp -L /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/ca-certificates.crt"

# Mounts live in a namespace that ends with the command and all of its processes.
inside() {
    # The root must be a mount, because tests create namespaces of their own and mount things over it.
    mount --bind "$folder" "$folder"
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    mount --rbind /sys "$folder/sys"
    local launcher=""
    if [[ -n ${CCACHE_DIR:-} ]] && command -v ccache > /dev/null; then
        mkdir -p "$CCACHE_DIR" "$folder/var/cache/ccache"
        mount --bind "$CCACHE_DIR" "$folder/var/cache/ccache"
        launcher="export CCACHE_DIR=/var/cache/ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
            command -v ccache > /dev/null || { apt-get -q update && apt-get -q -y install --no-install-recommends ccache; } > /dev/null"
    else
        unset CCACHE_DIR CMAKE_CXX_COMPILER_LAUNCHER
    fi
    chroot "$folder" /usr/bin/env -u TMPDIR HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -c "$launcher
            cd $tree
            $command"
}
export -f inside
export folder tree command
exec unshare --mount --pid --fork --kill-child bash -c "set -euo pipefail; inside"
