#include "libsim/training/step/jitter.hpp"
#include "libsim/random.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

// The sum of twelve uniform numbers, minus 6: mean 0, deviation 1, at most 6 in magnitude, and reproducible everywhere,
// which std::log and std::cos do not guarantee.
double normal(std::uint64_t seed) {
    double sum = 0;
    for (int part = 0; part < 12; ++part) {
        seed = split_mix(seed);
        sum += unit_interval(seed);
    }
    return sum - 6;
}

}  // namespace

Jitter::Jitter(double deviation, std::uint64_t seed, const Layout& layout, int rank)
    : deviation_(deviation),
      seed_(split_mix(seed)),
      first_(static_cast<std::uint64_t>(rank / layout.parallelism.tp * layout.parallelism.tp)),
      members_(layout.parallelism.tp) {}

double Jitter::next() {
    if (deviation_ <= 0) {
        return 1;
    }
    const std::uint64_t number = number_++;
    // Tensor-parallel ranks wait for each other in every layer, so a pass takes as long as that of the slowest. Each
    // member draws the numbers of all, which needs no message.
    double slowest = -6;
    for (int member = 0; member < members_; ++member) {
        const std::uint64_t rank = first_ + static_cast<std::uint64_t>(member);
        slowest = std::max(slowest, normal(split_mix(seed_ ^ split_mix(rank)) ^ number));
    }
    return std::max(0.0, 1 + deviation_ * slowest);
}

Duration Jitter::scaled(Duration time, double factor) {
    return factor == 1 ? time : Duration{std::llround(static_cast<double>(time.count()) * factor)};
}

}  // namespace sim::training
