#include "libsim/network/link_use.hpp"

#include <algorithm>

namespace sim {

namespace {

// Of up to 2^63 bytes/s each.
using Sum = Wide;

}  // namespace

bool LinkUse::fits(const std::vector<Draining>& there, const Draining& one, std::int64_t bandwidth) {
    const auto overlap = [](const Draining& a, const Draining& b) { return a.begin < b.end && b.begin < a.end; };
    const auto asked_at = [&](Time instant) {
        Sum sum = one.bytes_per_second;
        for (const Draining& other : there) {
            sum += other.begin <= instant && instant < other.end ? other.bytes_per_second : 0;
        }
        return sum;
    };
    Sum at_most = one.bytes_per_second;
    for (const Draining& other : there) {
        at_most += overlap(one, other) ? other.bytes_per_second : 0;
    }
    if (at_most <= bandwidth) {
        return true;
    }
    // The sum rises only where a message begins.
    if (asked_at(one.begin) > bandwidth) {
        return false;
    }
    return std::all_of(there.begin(), there.end(), [&](const Draining& other) {
        return other.begin <= one.begin || other.begin >= one.end || asked_at(other.begin) <= bandwidth;
    });
}

bool LinkUse::add(std::span<const LinkId> route, Bandwidth rate, Time begin, Time end) {
    if (begin >= end) {
        return true;
    }
    const Draining one{begin, end, rate.bytes_per_second};
    for (const LinkId link : route) {
        std::vector<Draining>& there = on_link_[link];
        std::erase_if(there, [this](const Draining& other) { return other.end <= past_; });
        if (!fits(there, one, topology_->links[link].bandwidth.bytes_per_second)) {
            return false;
        }
        there.push_back(one);
    }
    return true;
}

}  // namespace sim
