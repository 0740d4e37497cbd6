#!/usr/bin/env bash
# torch_environment.sh [FOLDER VERSION]: creates missing Python environments with PyTorch 2 for the tests of scripts on
# it: build/torch for the CPU and build/torch-cuda for CUDA, or the given one. PyTorch's GPU packages are not installed,
# because simulated GPUs do not need them. On top of the CPU environment, build/frameworks has training frameworks, and
# build/notebooks the packages that run notebooks.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash
if (($# != 2)) || [[ $1 == -* ]]; then
    refuse_all "$@"
fi
. tools/moved_build.bash

python=/usr/bin/python3
[[ -x $python ]] || python=python3

install() { # FOLDER, and what pip is told
    local said
    if ! said=$("$1/bin/python" -m pip install --quiet "${@:2}" 2>&1); then
        echo "torch: pip cannot install ${*:2} in $1: $(grep -m 1 ERROR <<< "$said" || tail -n 1 <<< "$said")" >&2
        exit 1
    fi
}

packages=(setuptools filelock fsspec jinja2 networkx sympy typing_extensions numpy pytest cloudpickle)

make_environment() { # FOLDER VERSION
    local folder=$1 version=$2
    local ready=$folder/ready-$version
    [[ ! -e $ready || $(< "$ready") != "${packages[*]}" ]] || return 0
    if [[ ! -e $ready ]]; then
        echo "torch: PyTorch $version into $folder"
        rm -rf "$folder"
        "$python" -m venv "$folder"
        install "$folder" --no-deps "torch==$version"
    fi
    # Most of their modules are never imported. Those that are get their bytecode here, because tests write none.
    install "$folder" --no-compile "${packages[@]}"
    # Said aloud, because `set -e` does not hold where a caller asks how this went.
    "$folder/bin/python" -c "import cloudpickle, networkx, numpy, pytest, sympy" || exit 1
    echo "${packages[*]}" > "$ready"
}

frameworks=(transformers==5.24.0 accelerate==1.15.0 lightning==2.6.6 deepspeed==0.19.8 megatron-core==0.16.1)
# Its dependency Triton is never imported, so it is not installed.
alone=(liger-kernel==0.8.5)
notebooks=(nbclient==0.11.0 ipykernel==7.4.0)

make_upon() { # FOLDER_OF_PYTORCH FOLDER MODULES PACKAGE… -- PACKAGE…: those after -- without their dependencies
    local base=$1 folder=$2 modules=$3 wanted="${*:4}" whole=()
    local ready=$folder/ready
    [[ ! -e $ready || $(< "$ready") != "$wanted" ]] || return 0
    shift 3
    while [[ $1 != -- ]]; do
        whole+=("$1")
        shift
    done
    shift
    echo "torch: $wanted into $folder"
    rm -rf "$folder"
    "$python" -m venv "$folder"
    # Makes the packages of that environment available in this one.
    ls -d "$PWD/$base"/lib/python3*/site-packages > "$(ls -d "$folder"/lib/python3*/site-packages)/pytorch.pth"
    install "$folder" --no-compile "${whole[@]}"
    (($# == 0)) || install "$folder" --no-compile --no-deps "$@"
    "$folder/bin/python" -W ignore -c "import $modules"
    echo "$wanted" > "$ready"
}

if (($# == 2)); then
    make_environment "$1" "$2"
    exit
fi
# The CPU build works by itself; a CUDA build without NVIDIA's libraries does not. pip finds no CPU build for some Pythons.
make_cpu_environment() {
    local none=build/no-torch-for-cpu
    [[ ! -e $none ]] || return 1
    make_environment build/torch "$1" || return 2
    "build/torch/bin/python" -c "import torch" 2> /dev/null && return 0
    echo "torch: pip finds no CPU build of PyTorch $1 for this Python, so the tests of it, of frameworks and of notebooks are left out." \
        "PIP_EXTRA_INDEX_URL names the index that has one; rm $none tries again" | tee "$none"
    rm -rf build/torch build/frameworks build/notebooks
    return 1
}

# In parallel, because each pip uses only one core.
imports="accelerate, deepspeed, lightning, megatron.core, transformers.trainer, transformers.models.llama"
(make_cpu_environment 2.13.0 || { (($? == 1)) && exit 0 || exit 1; }
    make_upon build/torch build/frameworks "$imports" "${frameworks[@]}" -- "${alone[@]}"
    make_upon build/torch build/notebooks "ipykernel, nbclient" "${notebooks[@]}" --) &
made=("$!")
make_environment build/torch-cuda 2.14.1 &
made+=("$!")
failed=0
for each in "${made[@]}"; do
    wait "$each" || failed=$?
done
exit "$failed"
