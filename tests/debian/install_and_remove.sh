#!/usr/bin/env bash
# install_and_remove.sh CPACK BUILD SOURCE FOLDER VERSION: makes the Debian packages, installs them on this system, uses each of
# them, and removes them. The installation goes into an in-memory overlay over this system that only this test sees, where the
# source tree and its build are hidden. Needs root or user namespaces; exits with 77 if there is neither.
# The commands that run there are quoted:
# shellcheck disable=SC2016
set -euo pipefail
if [[ ${1:-} != inside ]]; then
    cpack=$1 build=$2 source=$3 folder=$4 version=$5
    map=()
    ((EUID == 0)) || map=(--map-root-user)
    if ! unshare "${map[@]}" --mount bash -c 'mount -t tmpfs none /mnt && mkdir /mnt/{new,work,all} &&
            mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/new,workdir=/mnt/work /mnt/all' 2> /dev/null; then
        echo "left out: nothing can be laid over this system, as that takes root or user namespaces"
        exit 77
    fi
    rm -rf "$folder"
    mkdir -p "$folder"
    # zstd takes a tenth of the time of the compression for released packages.
    "$cpack" --config "$build/CPackConfig.cmake" -B "$folder" -D CPACK_OUTPUT_FILE_PREFIX="$folder/packages" \
        -D CPACK_DEBIAN_COMPRESSION_TYPE=zstd > "$folder/cpack.log" || { cat "$folder/cpack.log"; exit 1; }
    exec unshare "${map[@]}" --mount --pid --fork --kill-child "$0" inside "$source" "$folder/packages" "$version"
fi
source=$2 packages=$3 version=$4

cd /
mount -t tmpfs none /mnt
mkdir /mnt/{new,work,all}
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/new,workdir=/mnt/work /mnt/all
mount -t proc proc /mnt/all/proc
mount --rbind /dev /mnt/all/dev
mount -t tmpfs none /mnt/all/tmp
mkdir /mnt/all/tmp/test
cp "$packages"/*.deb "$source/tests/consume/custom_scenario.cpp" /mnt/all/tmp/test
mount -t tmpfs none "/mnt/all$source"
# Otherwise man-db would index all manual pages of the system again.
rm -f /mnt/all/var/lib/man-db/auto-update
system() {
    chroot /mnt/all /usr/bin/env -i HOME=/tmp/test LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin VERSION="$version" \
        bash -euo pipefail -c "cd /tmp/test; $1"
}
step() {
    echo "$1"
    system "$2"
}
fail() {
    echo "$1" >&2
    exit 1
}

cd /mnt/all/tmp/test
names=()
for file in *.deb; do
    names+=("${file%%_*}")
    [[ $file == "${file%%_*}_$version-1~"*_"$(dpkg --print-architecture)".deb ]] || fail "a file is called $file"
done
echo "packages: ${names[*]}"
for file in *.deb; do
    dpkg-deb --extract "$file" unpacked
done
"$source/tests/labs/no_solutions.sh" unpacked || fail "the packages have a line of a lab's solution"
rm -rf unpacked
step "They install with the packages that they depend on." "dpkg --force-unsafe-io --install *.deb > dpkg.log 2>&1 || { cat dpkg.log; exit 1; }"
for name in "${names[@]}"; do
    chroot /mnt/all dpkg --verify "$name"
    [[ -e /mnt/all/usr/share/doc/$name/copyright ]] || fail "$name comes without its licence"
done
step "The programs run." 'ndsim --version | grep -F "$VERSION"
    ndsim train --model llama3-8b --gpus 8 --zero 2 | sed -n 1p
    1d_data_parallel --quiet | grep -F "simulated time   16.100 s"
    man --where ndsim-train
    ndsim lab start 2 desk > /dev/null'
step "A program in C++ compiles and runs, and CMake finds the package." '
    g++ -std=c++20 custom_scenario.cpp -o custom_scenario $(pkg-config --cflags --libs ndsim)
    ./custom_scenario > /dev/null 2>&1
    printf "%s\n" "cmake_minimum_required(VERSION 3.25)" "project(mine LANGUAGES CXX)" "find_package(ndsim $VERSION EXACT REQUIRED)" > CMakeLists.txt
    cmake -S . -B build > /dev/null
    grep "^ndsim_DIR:PATH=/usr/" build/CMakeCache.txt
    said=$(ndsim lab check 2 desk || true)
    grep -F "Nothing is written here yet" <<< "$said"'
if [[ " ${names[*]} " == *" python3-ndsim "* ]]; then
    step "Python runs ranks, and a lab in Python." '
        /usr/bin/python3 -c "import ndsim; print(ndsim.launch(4, lambda gpu: gpu.barrier()).seconds, ndsim.__file__)"
        ndsim lab start 2 py --python > /dev/null
        said=$(ndsim lab check 2 py || true)
        grep -F "Nothing is written here yet" <<< "$said"'
fi
step "They are removed." "dpkg --purge ${names[*]} > dpkg.log 2>&1 || { cat dpkg.log; exit 1; }"
cd /mnt/new
left=$(find . ! -type d ! -path "./var/lib/dpkg/*" ! -path "./var/log/*" ! -path "./var/cache/*" ! -path "./var/lib/man-db/*")
[[ -z $left ]] || fail "they left behind: $left"
left=$(compgen -G "/mnt/all/usr/*/*ndsim*" || true)
[[ -z $left ]] || fail "they left behind: $left"
