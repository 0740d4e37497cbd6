#!/usr/bin/env bash
# leave_one_out.sh: fits the numbers of a GPU generation to all sets of published runs but one, for each set in turn,
# and prints the prediction error for the set left out, next to the error with the shipped numbers, and the generation's
# uncertainty as lines of its data file. Sets that took part in no fit are predicted by the shipped numbers. For generations of more than two sets; takes half a minute. Writes each run's
# prediction to docs/data/left_out.csv. Needs a build in build/ (or NDSIM_BUILD).
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash
refuse_all "$@"

bin=${NDSIM_BUILD:-build}/bin
runs=docs/data/published_runs.json
results=docs/data/left_out.csv
products=gemm_peak,gemm_half_flops
small=memory_share,kernel_floor,step_overhead
flash=flash_forward,flash_backward  # Blackwell's is measured
quantised=fp8_peak,fp8_half_flops,cast_passes
# Only BRIDGE-H100's small experts determine Hopper's kernel_floor; without that set the value is that of GPUs in
# general.
# generation | sets | fitted numbers | round starting values of the fit
rows=(
    "ampere|SC21-T1,SC21-T2-PTDP,SC21-F18,KORTH-T5,MLM-2020-A100,ZB-T4,FA2-T1,FSDP-PAPER,MOSAIC-A100-80,VTRAIN-SINGLE,BLOOM-SWEEP\
|gemm_peak,$flash,$small,scores_gemm,flash_first,busy_collective\
|gemm_peak=0.7,scores_gemm=0.35,flash_backward=0.55,flash_first=0.75,memory_share=0.8,kernel_floor=40e-6,step_overhead=0.01"
    "hopper|MCORE-H100,TORCHTITAN,MOSAIC-H100,MOSAIC-H100-FP8,BRIDGE-H100,NEMO-H100-FP8\
|$products,$flash,memory_share,step_overhead,$quantised\
|gemm_peak=0.7,gemm_half_flops=1e9,fp8_peak=0.7,fp8_half_flops=2e10,cast_passes=1,flash_forward=0.6,flash_backward=0.4,memory_share=0.7,kernel_floor=20e-6,step_overhead=0.02"
    "blackwell|BRIDGE-GB200,BRIDGE-B200,SIMUMAX-B200\
|$products,$small,gemm_grouped,$quantised,fp4_peak\
|gemm_peak=0.6,gemm_half_flops=2e10,gemm_grouped=0.7,fp8_peak=0.6,fp8_half_flops=1e10,cast_passes=0.5,fp4_peak=0.5,memory_share=0.6,kernel_floor=20e-6,step_overhead=0.01"
)

unfitted=BRIDGE-GB300,DGXC-H100,DGXC-MOE-H100,DGXC-GB200,NEMO-B200,NEMO-GB200,NEMO-SFT,TORCHAO-H100,TORCHAO-MI300X,AUTOMODEL-H100

found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
for row in "${rows[@]}"; do
    IFS='|' read -r generation sets fields start <<< "$row"
    "$bin/ndsim" calibrate --generation "$generation" --runs "$runs" --set "$sets" --fields "$fields" --passes 3 \
        --efficiency "$generation.${start//,/,$generation.}" --leave-one-out "$found/$generation" 2> "$found/log" \
        || { cat "$found/log"; exit 1; }
done
for row in "${rows[@]}"; do
    cat "$found/${row%%|*}"
done | awk 'NR == 1 || !/^generation,/' > "$results"
# Sets that took part in no fit are left out as they ship.
"$bin/ndsim" validate "$runs" --set "$unfitted" --out "$found/unfitted" > "$found/table"
python3 - "$runs" "$found/unfitted" >> "$results" <<'END'
import json
import sys

generations = (("H", "hopper"), ("GB300", "blackwell-ultra"), ("GB", "blackwell"), ("B", "blackwell"), ("MI300X", "cdna3"))
with open(sys.argv[1]) as runs, open(sys.argv[2]) as predictions:
    records = {record["id"]: record for record in json.load(runs)["records"]}
    for run in json.load(predictions)["records"]:
        record = records[run["id"]]
        if record["usable_for_step_time"]:
            gpu = record["hardware"]["gpu"]
            generation = next(name for prefix, name in generations if gpu.startswith(prefix))
            measured = record["measured"]["iter_s"]
            print(f"{generation},{record['set']},{run['id']},{run['predicted_iter_s']:.6g},{measured:.6g}")
END
