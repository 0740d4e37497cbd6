// Failure rates state how often the parts of a cluster fail; a failure stream draws the failures themselves, in order.
//
// A part lives for a random time and is then replaced by a new one. Its lifetime is exponential (the same risk in every
// hour) or Weibull with another shape: below 1 young parts fail more often, above 1 old ones. All parts are new at time
// 0. The same seed gives the same failures, with every compiler if the lifetimes are exponential; doubling all means
// yields the same failures twice as far apart.
//
// Cost per failure: logarithmic in the failures so far, however many parts there are.
// Source of the Weibull streams: Rényi, "On the theory of order statistics", 1953, for which part fails next.
#pragma once

#include "libsim/faults/part.hpp"
#include "libsim/heap.hpp"
#include "libsim/random.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace sim::faults {

// Time for weeks and years, beyond the range of simulated time in picoseconds (106 days): up to 292 years.
using LongDuration = std::chrono::nanoseconds;
inline constexpr LongDuration never = LongDuration::max();

double hours_of(LongDuration time);
double seconds_of(LongDuration time);
// Rounded to the nearest nanosecond; `never` above 290 years.
LongDuration long_duration(double seconds);

// The number of parts of one kind, and their lifetime.
struct Population {
    std::int64_t count = 0;
    double mean_hours = 0;  // 0: they never fail
    double shape = 1;       // of the Weibull distribution; 1: exponential

    bool fails() const { return count > 0 && mean_hours > 0; }
};

struct FailureRates {
    std::array<Population, part_kinds> of{};

    Population& operator[](Part part) { return of[static_cast<std::size_t>(part)]; }
    const Population& operator[](Part part) const { return of[static_cast<std::size_t>(part)]; }
    // The long-run rate, over all parts.
    double failures_per_hour() const;
    // Whether the risk of failure is the same in every hour, whatever happened before.
    bool memoryless() const;
};

// Meta's Llama 3: 419 unexpected interruptions of any cause in 54 days on 16,384 GPUs, as GPU-hours per interruption.
// Source: "The Llama 3 Herd of Models", arXiv:2407.21783, section 3.3.4.
inline constexpr double llama3_gpu_hours = 16'384.0 * 54 * 24 / 419;

// The default time-out of torch.distributed's collectives on GPUs, in seconds.
inline constexpr double collective_times_out_after = 600;

struct PartFailure {
    LongDuration at = never;
    Part part = Part::gpu;
    std::int64_t which = 0;  // from 0
};

// The failures of one kind of part.
class PartStream {
public:
    PartStream(const Population& population, Random random);
    LongDuration next_at() const { return next_at_; }
    // Returns the part that fails at next_at() and advances to the next failure. Requires: next_at() is not `never`.
    std::int64_t pop();

private:
    struct Replaced {
        LongDuration dies{0};
        std::int64_t which = 0;
        friend std::pair<LongDuration, std::int64_t> key_of(const Replaced& part) { return {part.dies, part.which}; }
    };

    bool exponential() const { return population_.shape == 1; }
    LongDuration lifetime(double hazard) const;
    void draw_original();
    void find_next();

    Population population_;
    Random random_;
    double scale_ = 0;  // of the Weibull distribution, in nanoseconds
    LongDuration next_at_ = never;
    // For Weibull: the original parts that have not failed yet, their accumulated hazard, and the time of their next
    // failure.
    std::vector<std::int32_t> originals_;
    double hazard_ = 0;
    LongDuration original_at_ = never;
    Heap<Replaced> replaced_;
};

class FailureStream {
public:
    // Streams with the same seed and different `run` are independent.
    FailureStream(const FailureRates& rates, std::uint64_t seed, std::uint64_t run);
    // `at` is `never` if nothing fails any more. Of two failures in the same nanosecond the GPU's comes first.
    PartFailure next();

private:
    std::array<PartStream, part_kinds> streams_;
};

}  // namespace sim::faults
