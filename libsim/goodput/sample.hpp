// A sample is many runs of one long job, each with failures of its own, and statistics of these runs.
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

// Over all runs together: the productive share of their wall time, and the share of any use.
double effective_share(const JobSample& sample);
double share_of(const JobSample& sample, TimeUse use);

// Mean interruptions per run caused by one kind of part.
double mean_stops(const JobSample& sample, faults::Part part);

struct SampleSpread {
    double mean = 0;
    double deviation = 0;  // standard deviation; 0 for a single run
    double p5 = 0;
    double p50 = 0;
    double p95 = 0;
};
// Statistics of `number` over the runs. Requires: at least one run.
SampleSpread spread_of(const JobSample& sample, const std::function<double(const JobRun&)>& number);

// The index of the run with the median effective share.
std::size_t middle_run(const JobSample& sample);

}  // namespace sim::goodput
