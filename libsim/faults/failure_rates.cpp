#include "libsim/faults/failure_rates.hpp"

#include "libsim/check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::faults {

namespace {

constexpr double nanoseconds_per_hour = 3.6e12;
constexpr double longest = 9.15e18;  // nanoseconds

LongDuration rounded(double nanoseconds) {
    return nanoseconds < longest ? LongDuration{std::llround(nanoseconds)} : never;
}

LongDuration later_by(LongDuration at, LongDuration by) {
    return by >= never - at ? never : at + by;
}

}  // namespace

double hours_of(LongDuration time) {
    return static_cast<double>(time.count()) / nanoseconds_per_hour;
}

double seconds_of(LongDuration time) {
    return static_cast<double>(time.count()) / 1e9;
}

LongDuration long_duration(double seconds) {
    return rounded(seconds * 1e9);
}

double FailureRates::failures_per_hour() const {
    double rate = 0;
    for (const Population& population : of) {
        rate += population.fails() ? static_cast<double>(population.count) / population.mean_hours : 0;
    }
    return rate;
}

bool FailureRates::memoryless() const {
    return std::all_of(of.begin(), of.end(), [](const Population& p) { return !p.fails() || p.shape == 1; });
}

PartStream::PartStream(const Population& population, Random random) : population_(population), random_(random) {
    if (!population.fails()) {
        return;
    }
    if (!exponential()) {
        check(population.count <= INT32_MAX, "{} parts are too many", population.count);
        scale_ = population.mean_hours * nanoseconds_per_hour / std::tgamma(1 + 1 / population.shape);
        originals_.resize(static_cast<std::size_t>(population.count));
        std::iota(originals_.begin(), originals_.end(), 0);
        draw_original();
    } else {
        next_at_ = LongDuration{0};
    }
    find_next();
}

// The time by which a part has accumulated this much hazard.
LongDuration PartStream::lifetime(double hazard) const {
    return rounded(scale_ * std::pow(hazard, 1 / population_.shape));
}

// With n parts left, the hazard until the next failure is an exponential variate divided by n.
void PartStream::draw_original() {
    if (originals_.empty()) {
        original_at_ = never;
        return;
    }
    hazard_ += random_.exponential() / static_cast<double>(originals_.size());
    original_at_ = lifetime(hazard_);
}

void PartStream::find_next() {
    if (exponential()) {
        const double mean = population_.mean_hours * nanoseconds_per_hour / static_cast<double>(population_.count);
        next_at_ = later_by(next_at_, rounded(random_.exponential() * mean));
        return;
    }
    next_at_ = replaced_.empty() ? original_at_ : std::min(original_at_, replaced_.top().dies);
}

std::int64_t PartStream::pop() {
    std::int64_t which = 0;
    if (exponential()) {
        which = random_.below(population_.count);
    } else if (next_at_ == original_at_) {
        std::swap(originals_[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(originals_.size())))],
                  originals_.back());
        which = originals_.back();
        originals_.pop_back();
        draw_original();
    } else {
        which = replaced_.pop().which;
    }
    if (!exponential()) {
        replaced_.push({later_by(next_at_, lifetime(random_.exponential())), which});
    }
    find_next();
    return which;
}

FailureStream::FailureStream(const FailureRates& rates, std::uint64_t seed, std::uint64_t run)
    : streams_{PartStream(rates.of[0], Random(seed, run * part_kinds)),
               PartStream(rates.of[1], Random(seed, run * part_kinds + 1)),
               PartStream(rates.of[2], Random(seed, run * part_kinds + 2))} {}

PartFailure FailureStream::next() {
    const auto first = std::min_element(streams_.begin(), streams_.end(), [](const PartStream& a, const PartStream& b) {
        return a.next_at() < b.next_at();
    });
    if (first->next_at() == never) {
        return {};
    }
    PartFailure failure{.at = first->next_at(), .part = static_cast<Part>(first - streams_.begin())};
    failure.which = first->pop();
    return failure;
}

}  // namespace sim::faults
