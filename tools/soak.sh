#!/usr/bin/env bash
# soak.sh [GOAL …]: runs the long versions of the reliability tests, one line per goal of docs/reliability.md; about an
# hour on two cores. For example:
#   tools/soak.sh               all of them
#   tools/soak.sh G1 G3         some
# The output of a goal's tests is in build/soak/GOAL.PROGRAM.txt. Exit code 1: a goal was missed.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/usage.bash

# goal | program | its tests | description
goals=(
    "G1|hosts|Deaths.TwoThousandRandomKills*|10,000 ranks killed at random instants"
    "G1|hosts|DeathsInAnExchange.*|2,000 ranks killed in an exchange of data, 8 B to 64 MiB among 2 to 64 ranks"
    "G2|hosts|Storms.ADeathAmong*|1,000 deaths among 64 ranks, and how long until the run has ended"
    "G3|hosts|Deaths.NoRankOutlivesAKilledSupervisor|1,000 supervisors killed at random instants"
    "G4|hosts|Storms.RanksThatAreStopped*:Watchdog*:Deaths.*Watchdog|500 ranks stopped and continued, hung ones named"
    "G5|hosts|Attackers.*|10,000 ranks that scribble, 1,000 that attack others"
    "G6|hosts|Deaths.ManyRunsLeave*:Descendants.*|4,000 runs, 2,100 with forking ranks: nothing is left"
    "G7|hosts|Storms.CorrectRandom*:Hosts/Storms.RandomWrong*|10,000 right programs, 200 wrong ones on both hosts"
    "G7|hosts|*Mistakes*|55 wrong programs 100 times each, one message and one timeline"
    "G8|hosts|Hosts/Storms.ADeadlockOfMany*|1,024 ranks that wait for each other, and how long until the run has ended"
    "G10|cli|*FailingCalls*|every allocation, mapping, fork, descriptor and write fails once"
    "G11|hosts|SameTimeline.InAHundredRunsOnBothHosts|1,000 runs on both hosts, one hash"
    "G12|hosts|SameTimeline.OfRandomPrograms*|9,600 random programs, each the same on both hosts"
    "G14|hosts|Hosts/Storms.StopSignals*|500 stop signals at random instants, on both hosts"
    "G14|cli|Interrupts.*|500 interrupted programs, their traces whole and marked"
    "G16|hosts|Hosts/Limits.*:LimitsOfProcesses.*|floods in 400 MB, too many ranks"
    "G17|hosts|Storms.AsManyProcesses*|4,096 processes, one collective"
)
for goal in "$@"; do
    [[ " ${goals[*]%%|*} " == *" $goal "* ]] || refuse "$goal" "a goal"
done

mkdir -p build/soak
missed=0
for row in "${goals[@]}"; do
    IFS='|' read -r goal program tests what <<<"$row"
    if [[ $# -gt 0 && " $* " != *" $goal "* ]]; then
        continue
    fi
    begin=$SECONDS
    outcome=ok
    NDSIM_SOAK=1 "build/bin/ndsim_test_$program" --gtest_brief=1 --gtest_filter="$tests" >"build/soak/$goal.$program.txt" 2>&1 ||
        outcome=MISSED
    grep -q '^\[  PASSED  \] [1-9]' "build/soak/$goal.$program.txt" || outcome=MISSED
    [[ $outcome == ok ]] || missed=1
    printf '%-4s %-7s %5d s  %s\n' "$goal" "$outcome" $((SECONDS - begin)) "$what"
    sed -n 's/^from the /             from the /p' "build/soak/$goal.$program.txt"
done
exit $missed
