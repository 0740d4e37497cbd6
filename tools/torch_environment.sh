#!/usr/bin/env bash
# torch_environment.sh [FOLDER VERSION]: makes Python environments with PyTorch 2, where there are none yet, for the tests of scripts on
# it: build/torch has one for the CPU, build/torch-cuda one for CUDA; or the one that is named. None of the packages that PyTorch drives
# GPUs with is installed: simulated ones need none. build/frameworks has what trains on PyTorch, upon the one for the CPU.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash
if (($# != 2)) || [[ $1 == -* ]]; then
    refuse_all "$@"
fi

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
    # Most of their modules are never imported. Those that are get their bytecode here: tests write none.
    install "$folder" --no-compile "${packages[@]}"
    "$folder/bin/python" -c "import cloudpickle, networkx, numpy, pytest, sympy"
    echo "${packages[*]}" > "$ready"
}

frameworks=(transformers==5.24.0 accelerate==1.15.0 lightning==2.6.6 deepspeed==0.19.8 megatron-core==0.16.1)
# It would install Triton, which is never imported.
alone=(liger-kernel==0.8.5)

make_frameworks() { # FOLDER FOLDER_OF_PYTORCH
    local folder=$1 ready=$1/ready
    [[ ! -e $ready || $(< "$ready") != "${frameworks[*]} ${alone[*]}" ]] || return 0
    echo "torch: ${frameworks[*]} ${alone[*]} into $folder"
    rm -rf "$folder"
    "$python" -m venv "$folder"
    # What is installed there counts as installed here.
    ls -d "$PWD/$2"/lib/python3*/site-packages > "$(ls -d "$folder"/lib/python3*/site-packages)/pytorch.pth"
    install "$folder" --no-compile "${frameworks[@]}"
    install "$folder" --no-compile --no-deps "${alone[@]}"
    "$folder/bin/python" -W ignore -c "import accelerate, deepspeed, lightning, megatron.core, transformers.trainer, transformers.models.llama"
    echo "${frameworks[*]} ${alone[*]}" > "$ready"
}

if (($# == 2)); then
    make_environment "$1" "$2"
    exit
fi
# Beside each other: pip needs one core.
(make_environment build/torch 2.13.0 && make_frameworks build/frameworks build/torch) &
made=("$!")
make_environment build/torch-cuda 2.14.1 &
made+=("$!")
failed=0
for each in "${made[@]}"; do
    wait "$each" || failed=$?
done
exit "$failed"
