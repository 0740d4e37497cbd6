#include "libsim/goodput/closed_forms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim::goodput {

using faults::seconds_of;

double expected_share(double interval, double checkpoint, double between_failures, double detection, double restart) {
    // The limit of the formula below, in which it would be infinity times 0.
    if (std::isinf(between_failures)) {
        return interval / (interval + checkpoint);
    }
    return interval / (std::exp(restart / between_failures) * (between_failures + detection) *
                       std::expm1((interval + checkpoint) / between_failures));
}

std::optional<double> expected_share(const LongJob& job) {
    constexpr LongDuration nothing{0};
    if (!job.rates.memoryless() || job.checkpoints.beside > nothing || job.planned_every > nothing ||
        job.repair > nothing || job.policy == JobPolicy::abort) {
        return std::nullopt;
    }
    return expected_share(seconds_of(job.checkpoints.every), seconds_of(job.checkpoints.blocks),
                          seconds_between_failures(job), seconds_of(job.detection), seconds_of(job.restart));
}

double estimated_share(double interval, double checkpoint, double between_failures, double recovery) {
    return std::max(0.0, 1 - (recovery + interval / 2) / between_failures) / (1 + checkpoint / interval);
}

double estimated_share(const LongJob& job) {
    return estimated_share(seconds_of(job.checkpoints.every), seconds_of(job.checkpoints.blocks),
                           seconds_between_failures(job), seconds_of(job.detection + job.restart));
}

double seconds_between_failures(const LongJob& job) {
    const double rate = job.rates.failures_per_hour();
    return rate > 0 ? 3600 / rate : std::numeric_limits<double>::infinity();
}

}  // namespace sim::goodput
