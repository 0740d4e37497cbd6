#!/usr/bin/env bash
# install_packages.sh run|deb|docs|test|coverage: installs only the Debian packages that are missing.
#   run     to build and run the scenarios
#   deb     that, and to make Debian packages, including the Python package
#   docs    `run`, and what tools/site.sh needs for the documentation site
#   test    all of it, and what tools/test.sh, tools/check and .ci/run use
#   coverage  that, and what tools/coverage.sh needs
# A package counts as present if the file or command that we need is there, wherever it came from.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

# package, and the file it is needed for: a pattern below / or, without a slash, a command
run_set=(
    "g++                    g++"
    "cmake                  cmake"
    "ninja-build            ninja"
    "libfmt-dev             usr/include/fmt/format.h"
    "libspdlog-dev          usr/include/spdlog/spdlog.h"
    "libcli11-dev           usr/include/CLI/CLI.hpp"
    "nlohmann-json3-dev     usr/include/nlohmann/json.hpp"
    "libtomlplusplus-dev    usr/include/toml++/toml.h"
    "libeigen3-dev          usr/include/eigen3/Eigen/Core"
    "libssl-dev             usr/include/openssl/evp.h"
    "zlib1g-dev             usr/include/zlib.h"
)
deb_set=(
    "dpkg-dev               dpkg-shlibdeps"
    "file                   file"
    "python3-dev            usr/include/python3*/Python.h"
    "pybind11-dev           usr/include/pybind11/pybind11.h"
)
docs_set=(
    "doxygen                doxygen"
    "python3-sphinx         usr/lib/python3/dist-packages/sphinx/__init__.py"
    "python3-myst-parser    usr/lib/python3/dist-packages/myst_parser/__init__.py"
    "python3-breathe        usr/lib/python3/dist-packages/breathe/__init__.py"
    "python3-sphinx-copybutton usr/lib/python3/dist-packages/sphinx_copybutton/__init__.py"
    "furo                   usr/lib/python3/dist-packages/furo/__init__.py"
)
test_set=(
    "git                    git"
    "pkg-config             pkg-config"
    "libgtest-dev           usr/include/gtest/gtest.h"
    "libgmock-dev           usr/include/gmock/gmock.h"
    "librapidcheck-dev      usr/include/rapidcheck.h"
    "libvalijson-dev        usr/include/valijson/validator.hpp"
    "libbenchmark-dev       usr/include/benchmark/benchmark.h"
    "libopenmpi-dev         usr/lib/*/openmpi/include/mpi.h"
    "openmpi-bin            mpirun"
    "clang                  clang++"
    "clang-format           clang-format"
    "clang-tidy             clang-tidy"
    "shellcheck             shellcheck"
    "man-db                 man"
    "zsh                    zsh"
    "fish                   fish"
    "protobuf-compiler      protoc"
    "libprotobuf-dev        usr/include/google/protobuf/message_lite.h"
    "esbuild                esbuild"
    "chromium               chromium"
    "chromium-driver        chromedriver"
    "python3-venv           usr/lib/python3*/ensurepip/__init__.py"
    "python3-numpy          usr/lib/python3*/*-packages/numpy/__init__.py"
    "python3-pandas         usr/lib/python3*/*-packages/pandas/__init__.py"
    "python3-pytest         usr/lib/python3*/*-packages/pytest/__init__.py"
    "python3-selenium       usr/lib/python3*/*-packages/selenium/__init__.py"
)
coverage_set=(
    "gcovr                  gcovr"
)

is_present() {
    case $1 in
        */*) compgen -G "/$1" > /dev/null ;;
        *) command -v "$1" > /dev/null ;;
    esac
}

missing=()
# Asio and Interprocess are header-only and in libboost-dev. Debian's Boost versions exclude each other, so the
# installed one determines the matching Context library.
add_missing_boost() {
    local header=/usr/include/boost/version.hpp number version
    if [[ ! -e $header ]]; then
        missing+=(libboost-dev libboost-context-dev)
        return
    fi
    compgen -G "/usr/lib/*/libboost_context.*" > /dev/null && return
    number=$(awk '$1 == "#define" && $2 == "BOOST_VERSION" { print $3 }' "$header")
    version=$((number / 100000)).$((number / 100 % 1000))
    missing+=("libboost-context$version-dev")
}

case ${1:-} in
    run) wanted=("${run_set[@]}") ;;
    deb) wanted=("${run_set[@]}" "${deb_set[@]}") ;;
    docs) wanted=("${run_set[@]}" "${docs_set[@]}") ;;
    test) wanted=("${run_set[@]}" "${deb_set[@]}" "${docs_set[@]}" "${test_set[@]}") ;;
    coverage) wanted=("${run_set[@]}" "${deb_set[@]}" "${docs_set[@]}" "${test_set[@]}" "${coverage_set[@]}") ;;
    *) refuse "${1:-}" "run, deb, docs, test or coverage" ;;
esac
refuse_all "${@:2}"
for row in "${wanted[@]}"; do
    read -r package probe <<< "$row"
    is_present "$probe" || missing+=("$package")
done
add_missing_boost

if [[ ${#missing[@]} -eq 0 ]]; then
    echo "packages: all there"
    exit 0
fi

as_root=()
if [[ $EUID -ne 0 ]]; then
    if ! command -v sudo > /dev/null; then
        echo "packages: these are missing, and neither root nor sudo is at hand to install them: ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >> "$log" 2>&1 < /dev/null; then
        cat "$log" >&2
        echo "packages: apt-get $1 failed; what it said stands above" >&2
        exit 1
    fi
}
echo "packages: apt-get update"
apt update
echo "packages: apt-get install ${missing[*]}"
apt install --no-install-recommends "${missing[@]}"
echo "packages: installed"
