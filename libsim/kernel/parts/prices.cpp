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
    : cluster_(&cluster),
      conditions_(&conditions),
      nodes_(cluster.network->node_map()),
      acknowledgements_{acknowledgement_time(cluster, Hop::within), acknowledgement_time(cluster, Hop::across)} {
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
        if (!cluster_->compute.slowdown.empty()) {
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
                   ? compute_time(*cluster_, rank, Work{op.amount, op.measure})
                   : transfer_time(*cluster_, Size{op.amount, op.measure}, nodes_.hop(rank, op.peer));
    } catch (const ProgramError& error) {
        throw_for(rank, op, number, at, error.what());
    }
}

void Prices::require_for_message(int rank, const Op& op, std::uint32_t number, Time at) const {
    try {
        require_price(*cluster_, Size{op.amount, op.measure});
    } catch (const ProgramError& error) {
        throw_for(rank, op, number, at, error.what());
    }
}

}  // namespace sim::kernel
