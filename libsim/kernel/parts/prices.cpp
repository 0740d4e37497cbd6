#include "libsim/kernel/parts/prices.hpp"

#include "libsim/check.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>

namespace sim::kernel {

namespace {

[[noreturn]] void throw_for(int rank, const Op& op, std::uint32_t number, Time at, const char* what) {
    throw ProgramError(
        fmt::format("rank {}, op {}: {} at {}: {}", rank, number, describe(op), describe_time(at), what));
}

}  // namespace

Prices::Prices(const Cluster& cluster, int ranks, const faults::Conditions& conditions)
    : cluster_(cluster),
      conditions_(&conditions),
      nodes_(cluster_.network->node_map()),
      acknowledgements_{acknowledgement_time(cluster_, Hop::within), acknowledgement_time(cluster_, Hop::across)} {
    check(nodes_.size() == 0 || nodes_.size() == static_cast<std::size_t>(ranks), "{} ranks have {} places", ranks,
          nodes_.size());
}

// A price that depends on the rank or the time is not cached.
Duration Prices::new_price(LastPrice& last, int rank, const Op& op, std::uint32_t number, Time at) const {
    const Duration price = undisturbed(rank, op, number, at);
    if (op.kind == OpKind::compute) {
        if (conditions_->change_computations()) {
            return conditions_->end_of_computation(rank, number, at, price) - at;
        }
        if (!cluster_.compute.slowdown.empty()) {
            return price;
        }
    } else if (conditions_->change_messages()) {
        return conditions_->end_of_message(rank, op.peer, at, price) - at;
    }
    last = {op.amount, op.measure, price};
    return price;
}

Duration Prices::undisturbed_computation(int rank, const Op& op, std::uint32_t number, Time at) const {
    const Duration price = undisturbed(rank, op, number, at);
    return conditions_->change_computations() ? conditions_->with_noise(rank, number, price) : price;
}

Duration Prices::undisturbed(int rank, const Op& op, std::uint32_t number, Time at) const {
    try {
        return op.kind == OpKind::compute
                   ? compute_time(cluster_, rank, Work{op.amount, op.measure})
                   : transfer_time(cluster_, Size{op.amount, op.measure}, nodes_.hop(rank, op.peer));
    } catch (const ProgramError& error) {
        throw_for(rank, op, number, at, error.what());
    }
}

Sending Prices::sending_at_ends(int rank, const Op& op, std::uint32_t number, Time begin) const {
    require_for_message(rank, op, number, begin);
    const std::int64_t bytes = bytes_of(cluster_, Size{op.amount, op.measure});
    SendTimes times = cluster_.network->send_at(begin, bytes);
    if (conditions_->change_messages()) {
        const auto slowed = [&](Time end) { return conditions_->end_of_message(rank, op.peer, begin, end - begin); };
        times.card = slowed(times.card);
        times.there = slowed(times.there);
    }
    // Buffers of collectives, which have negative tags, are known beforehand: their messages never wait.
    const bool may_wait = op.tag >= 0;
    return {.times = times,
            .waits_for_receiver = may_wait && (cluster_.blocking_sends || cluster_.network->waits_for_receiver(bytes))};
}

void Prices::require_for_message(int rank, const Op& op, std::uint32_t number, Time at) const {
    try {
        require_price(cluster_, Size{op.amount, op.measure});
    } catch (const ProgramError& error) {
        throw_for(rank, op, number, at, error.what());
    }
}

}  // namespace sim::kernel
