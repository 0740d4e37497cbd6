#include "libsim/network/link_use.hpp"

#include <algorithm>

namespace sim::network {

namespace {

// Sums terms of up to 2^63 bytes/s each.
using Sum = Wide;

}  // namespace

bool LinkUse::fits(std::span<const Draining> there, const Draining& one, std::int64_t bandwidth) {
    const auto overlap = [](const Draining& a, const Draining& b) { return a.begin < b.end && b.begin < a.end; };
    const auto asked_at = [&](Time instant) {
        Sum sum = one.bytes_per_second;
        for (const Draining& other : there) {
            sum += other.begin <= instant && instant < other.end ? other.bytes_per_second : 0;
        }
        return sum;
    };
    // The sum over all that overlap it at any time is an upper bound, found in one pass; single instants are looked at
    // only if it is too high.
    Sum at_most = one.bytes_per_second;
    for (const Draining& other : there) {
        at_most += overlap(one, other) ? other.bytes_per_second : 0;
    }
    if (at_most <= bandwidth) {
        return true;
    }
    // The sum rises only when a message begins.
    if (asked_at(one.begin) > bandwidth) {
        return false;
    }
    return std::all_of(there.begin(), there.end(), [&](const Draining& other) {
        return other.begin <= one.begin || other.begin >= one.end || asked_at(other.begin) <= bandwidth;
    });
}

// Runs once half of a list is in the past, so that entries are seldom moved.
void LinkUse::forget_past(std::vector<Draining>& there) const {
    constexpr std::size_t few = 32;
    if (there.size() < few || there[there.size() / 2].end > past_) {
        return;
    }
    const auto ahead = std::upper_bound(there.begin(), there.end(), past_,
                                        [](Time time, const Draining& other) { return time < other.end; });
    there.erase(there.begin(), ahead);
}

bool LinkUse::add(std::span<const LinkId> route, Bandwidth rate, Time begin, Time end) {
    if (begin >= end) {
        return true;
    }
    const Draining one{begin, end, rate.bytes_per_second};
    const auto ends_after = [](Time time, const Draining& other) { return time < other.end; };
    for (const LinkId link : route) {
        std::vector<Draining>& there = on_link_[link];
        forget_past(there);
        const auto beside = std::upper_bound(there.begin(), there.end(), begin, ends_after);
        if (!fits({beside, there.end()}, one, topology_->links[link].bandwidth.bytes_per_second)) {
            return false;
        }
        there.insert(std::upper_bound(beside, there.end(), end, ends_after), one);
    }
    return true;
}

}  // namespace sim::network
