// A sample is many runs of one long job, each with failures of its own: what they share, and how far they differ.
#pragma once

#include "libsim/for_each.hpp"
#include "libsim/goodput/run.hpp"

#include <vector>

namespace sim::goodput {

struct Seeds {
    std::uint64_t seed = 1;
    std::size_t runs = 1;
    ForEach for_each = one_by_one;
};

using JobSample = std::vector<JobRun>;
JobSample sample_of(const LongJob& job, const Seeds& seeds);

// All runs together: their productive time over their wall time, and one use of it.
double effective_share(const JobSample& sample);
double share_of(const JobSample& sample, TimeUse use);

// Interruptions of a run by one sort of part, the mean of all runs.
double mean_stops(const JobSample& sample, faults::Part part);

struct SampleSpread {
    double mean = 0;
    double deviation = 0;  // of one run; 0 where there is one
    double p5 = 0;
    double p50 = 0;
    double p95 = 0;
};
// Of a number of each run. Requires: a run.
SampleSpread spread_of(const JobSample& sample, const std::function<double(const JobRun&)>& number);

// The run whose effective share is in the middle.
std::size_t middle_run(const JobSample& sample);

}  // namespace sim::goodput
