#!/usr/bin/env bash
# leave_one_out.sh [GENERATION …]: fits the numbers of a GPU generation to all sets of published runs but one, and prints
# how far that one's predictions are then, for each set; beside it the error with the numbers that ship. Generations of
# more than two sets; all of them take half an hour on two cores. Needs a build in build/ (or NDSIM_BUILD).
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

bin=${NDSIM_BUILD:-build}/bin
runs=docs/data/published_runs.json
products=gemm_peak,gemm_half_flops
small=flash_forward,flash_backward,memory_share,kernel_floor,step_overhead
quantised=fp8_peak,fp8_half_flops,cast_passes
# generation | sets | what is fitted | round numbers that the fit starts from
rows=(
    "ampere|SC21-T1,SC21-T2-PTDP,SC21-F18,KORTH-T5,MLM-2020-A100,ZB-T4,FA2-T1,MOSAIC-A100-80,VTRAIN-SINGLE,BLOOM-SWEEP\
|$products,$small,scores_gemm,flash_first,busy_collective\
|gemm_peak=0.7,gemm_half_flops=5e9,scores_gemm=0.35,flash_backward=0.55,flash_first=0.75,memory_share=0.8,kernel_floor=40e-6,step_overhead=0.01"
    "hopper|MCORE-H100,TORCHTITAN,MOSAIC-H100,MOSAIC-H100-FP8,BRIDGE-H100,NEMO-H100-FP8\
|$products,$small,$quantised\
|gemm_peak=0.7,gemm_half_flops=1e9,fp8_peak=0.7,fp8_half_flops=2e10,cast_passes=1,flash_backward=0.3,memory_share=0.7,kernel_floor=30e-6,step_overhead=0.02"
    "blackwell|BRIDGE-GB200,BRIDGE-B200,SIMUMAX-B200\
|$products,$small,gemm_grouped,$quantised,fp4_peak\
|gemm_peak=0.6,gemm_half_flops=2e10,gemm_grouped=0.7,fp8_peak=0.6,fp8_half_flops=1e10,cast_passes=0.5,fp4_peak=0.5,flash_backward=0.5,memory_share=0.6,kernel_floor=20e-6,step_overhead=0.01"
)

error_of() { # SET [CHANGES]
    "$bin/ndsim" validate "$runs" --set "$1" ${2:+--efficiency "$2"} --csv - | awk -F, -v set="$1" '$1 == set {printf "%.1f", 100 * $3}'
}

printf '%-12s %-18s %12s %12s\n' generation 'set, left out' error 'as shipped'
for row in "${rows[@]}"; do
    IFS='|' read -r generation sets fields start <<< "$row"
    if [[ $# -gt 0 && " $* " != *" $generation "* ]]; then
        continue
    fi
    start=$generation.${start//,/,$generation.}
    IFS=, read -ra all <<< "$sets"
    for left in "${all[@]}"; do
        others=$(printf '%s\n' "${all[@]}" | grep -vx "$left" | paste -sd,)
        found=$("$bin/ndsim_calibrate" "$runs" --generation "$generation" --sets "$others" --fields "$fields" \
            --efficiency "$start" --passes 3 2> /dev/null | sed -n "s/^\([a-z_0-9]*\) = \([^ ]*\)$/$generation.\1=\2/p" | paste -sd,)
        printf '%-12s %-18s %10s %% %10s %%\n' "$generation" "$left" "$(error_of "$left" "$start,$found")" "$(error_of "$left")"
    done
done
