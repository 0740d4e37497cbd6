#include "libsim/network/loggp.hpp"

#include <algorithm>

namespace sim {

namespace {

Duration per_byte(Pace pace, std::int64_t bytes) {
    return time_for(std::max(bytes - 1, std::int64_t{0}), pace);
}

Time after(Time begin, Duration once, Duration bytes) {
    return later(later(begin, once), bytes);
}

}  // namespace

LogGPSend send_at(const LogGP& network, Time begin, std::int64_t bytes) {
    return {.processor = after(begin, network.overhead, per_byte(network.overhead_per_byte, bytes)),
            .card = after(begin, network.gap, per_byte(network.gap_per_byte, bytes)),
            .first_byte = after(begin, network.overhead, network.latency)};
}

LogGPReceive receive_at(const LogGP& network, Time begin, std::int64_t bytes) {
    const Duration gap = per_byte(network.gap_per_byte, bytes);
    const Duration overhead = per_byte(network.overhead_per_byte, bytes);
    return {.processor = after(begin, network.overhead, std::max(gap, overhead)),
            .card = after(begin, network.gap, gap)};
}

}  // namespace sim
