// Alternatives to a long job: other checkpoint intervals, other policies, and each number of the recovery halved and
// doubled. Alternatives with the same failure rates see the same failures.
#pragma once

#include "libsim/goodput/sample.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::goodput {

// `interval`, rounded to whole steps, at least one.
LongDuration whole_steps(LongDuration interval, LongDuration step);

enum class IntervalChoice : std::uint8_t { asked, young, daly, best };
const char* name_of(IntervalChoice choice);
struct IntervalRow {
    IntervalChoice choice = IntervalChoice::asked;
    LongDuration every{0};
    double share = 0;                // simulated
    std::optional<double> expected;  // by the closed form, if it applies
    double estimated = 0;            // by Kokolis et al.
};
// The last row is the best of about twenty simulated intervals, from an eighth of Daly's to eight times it. If
// checkpoints are free or nothing fails, the job's own interval is the only row.
std::vector<IntervalRow> interval_rows(const LongJob& job, LongDuration step, const Seeds& seeds);

struct PolicyRow {
    JobPolicy policy = JobPolicy::restart;
    int spares = 0;
    SampleSpread share;
    double of_all_gpus = 0;  // share of all GPUs' time, spare nodes included
    double finished = 0;     // share of the runs that reach their end
};
// Abort; restart without and with spare nodes; elastic without and with them. Leaves out policies that cannot differ.
std::vector<PolicyRow> policy_rows(const LongJob& job, const Seeds& seeds);

// A number of the job, with the effective share when it is halved and doubled.
struct SensitivityRow {
    const char* key = "";
    const char* title = "";
    double half = 0;
    double twice = 0;
};
// Leaves out numbers that are 0.
std::vector<SensitivityRow> sensitivity_rows(const LongJob& job, LongDuration step, const Seeds& seeds);

// The productive share of all GPUs' time, spare nodes included; `share` is that of the job's own GPUs.
double share_of_all_gpus(const LongJob& job, double share);

}  // namespace sim::goodput
