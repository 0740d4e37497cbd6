// Alternatives to a long job, with the same failures where they have the same rates: other checkpoint intervals, other
// policies, and each number of the recovery halved and doubled.
#pragma once

#include "libsim/goodput/sample.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::goodput {

// A whole number of steps, at least one.
LongDuration whole_steps(LongDuration interval, LongDuration step);

enum class IntervalChoice : std::uint8_t { asked, young, daly, best };
const char* name_of(IntervalChoice choice);
struct IntervalRow {
    IntervalChoice choice = IntervalChoice::asked;
    LongDuration every{0};
    double share = 0;                // simulated
    std::optional<double> expected;  // by the closed form, where it applies
    double estimated = 0;            // by Kokolis et al.
};
// The last one is the best of some twenty intervals from an eighth of Daly's to eight times it, found in the sample
// itself. The intervals of theory are left out where checkpoints cost nothing or nothing fails.
std::vector<IntervalRow> interval_rows(const LongJob& job, LongDuration step, const Seeds& seeds);

struct PolicyRow {
    JobPolicy policy = JobPolicy::restart;
    int spares = 0;
    SampleSpread share;
    double of_all_gpus = 0;  // the share of the GPUs' time, with those of spare nodes
    double finished = 0;     // share of the runs
};
// Abort; restart without and with spare nodes; elastic without and with them. Those that cannot differ are left out.
std::vector<PolicyRow> policy_rows(const LongJob& job, const Seeds& seeds);

// What is halved and doubled.
struct SensitivityRow {
    const char* key = "";
    const char* title = "";
    double half = 0;  // the effective share
    double twice = 0;
};
// Without those that are 0.
std::vector<SensitivityRow> sensitivity_rows(const LongJob& job, LongDuration step, const Seeds& seeds);

// The share of all GPUs' time, with those of spare nodes, that was productive.
double share_of_all_gpus(const LongJob& job, double share);

}  // namespace sim::goodput
