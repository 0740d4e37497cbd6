// Runs are independent: each has its own number, from which its failures are drawn, so they can run on any thread and
// give the same sample.
#include "libsim/goodput/sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::goodput {

JobSample sample_of(const LongJob& job, const Seeds& seeds) {
    JobSample runs(seeds.runs);
    const auto run = [&](std::size_t number) { runs[number] = run_job(job, seeds.seed, number); };
    seeds.for_each(seeds.runs, {.block = 16}, run);
    return runs;
}

double share_of(const JobSample& sample, TimeUse use) {
    double spent = 0;
    double wall = 0;
    for (const JobRun& run : sample) {
        spent += static_cast<double>(run.spent(use).count());
        wall += static_cast<double>(run.wall.count());
    }
    return wall > 0 ? spent / wall : 0;
}

double effective_share(const JobSample& sample) {
    return share_of(sample, TimeUse::productive);
}

double mean_stops(const JobSample& sample, faults::Part part) {
    const auto stops = [&](const JobRun& run) {
        return static_cast<double>(run.stops[static_cast<std::size_t>(part)]);
    };
    return spread_of(sample, stops).mean;
}

SampleSpread spread_of(const JobSample& sample, const std::function<double(const JobRun&)>& number) {
    std::vector<double> values;
    values.reserve(sample.size());
    for (const JobRun& run : sample) {
        values.push_back(number(run));
    }
    std::sort(values.begin(), values.end());
    const auto count = static_cast<double>(values.size());
    SampleSpread spread{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count};
    double squares = 0;
    for (const double value : values) {
        squares += (value - spread.mean) * (value - spread.mean);
    }
    spread.deviation = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
    const auto at = [&](double share) { return values[static_cast<std::size_t>(share * (count - 1) + 0.5)]; };
    spread.p5 = at(0.05);
    spread.p50 = at(0.5);
    spread.p95 = at(0.95);
    return spread;
}

std::size_t middle_run(const JobSample& sample) {
    std::vector<std::size_t> order(sample.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto less = [&](std::size_t a, std::size_t b) {
        return std::pair(sample[a].effective_share(), a) < std::pair(sample[b].effective_share(), b);
    };
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    std::nth_element(order.begin(), middle, order.end(), less);
    return *middle;
}

}  // namespace sim::goodput
