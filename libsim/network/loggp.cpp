#include "libsim/network/loggp.hpp"

#include <algorithm>

namespace sim::network {

namespace {

Duration per_byte(Pace pace, std::int64_t bytes) {
    // The first byte is part of the overhead or the gap.
    return time_for(std::max(bytes - 1, std::int64_t{0}), pace);
}

Time after(Time begin, Duration once, Duration bytes) {
    return later(later(begin, once), bytes);
}

}  // namespace

SendTimes LogGP::send_at(Time begin, std::int64_t bytes) const {
    return {.processor = after(begin, overhead, per_byte(overhead_per_byte, bytes)),
            .card = after(begin, gap, per_byte(gap_per_byte, bytes)),
            .there = after(begin, overhead, latency)};
}

ReceiveTimes LogGP::receive_at(Time begin, std::int64_t bytes) const {
    const Duration on_card = per_byte(gap_per_byte, bytes);
    // Card and processor take the bytes at the same time, so the slower of the two decides.
    const Duration on_processor = per_byte(overhead_per_byte, bytes);
    return {.processor = after(begin, overhead, std::max(on_card, on_processor)), .card = after(begin, gap, on_card)};
}

std::vector<NetworkField> LogGP::fields() {
    return {{.key = "latency_seconds", .to = &latency, .required = true},
            {.key = "overhead_seconds", .to = &overhead},
            {.key = "gap_seconds", .to = &gap},
            {.key = "gap_per_byte_seconds", .to = &gap_per_byte},
            {.key = "overhead_per_byte_seconds", .to = &overhead_per_byte},
            {.key = "eager_limit_bytes", .to = &eager_limit}};
}

}  // namespace sim::network
