#include "libsim/kernel/prices.hpp"

#include "libsim/check.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/describe.hpp"

#include <fmt/format.h>

namespace sim::kernel {

namespace {

[[noreturn]] void throw_for(int rank, const Op& op, std::uint32_t number, Time at, const char* what) {
    throw ProgramError(
        fmt::format("rank {}, op {}: {} at {}: {}", rank, number, describe(op), describe_time(at), what));
}

}  // namespace

Prices::Prices(const Cluster& cluster, int ranks)
    : cluster_(&cluster),
      nodes_(node_map(cluster.network)),
      acknowledgements_{acknowledgement_time(cluster, Hop::within), acknowledgement_time(cluster, Hop::across)} {
    check(nodes_.size() == 0 || nodes_.size() == static_cast<std::size_t>(ranks), "{} ranks have {} places", ranks,
          nodes_.size());
}

Duration Prices::new_price(LastPrice& last, int rank, const Op& op, std::uint32_t number, Time at) const {
    try {
        const bool is_compute = op.kind == OpKind::compute;
        const Duration price = is_compute
                                   ? compute_time(*cluster_, rank, Work{op.amount, op.measure})
                                   : transfer_time(*cluster_, Size{op.amount, op.measure}, nodes_.hop(rank, op.peer));
        if (!is_compute || cluster_->compute.slowdown.empty()) {  // else the next rank's price is another
            last = {op.amount, op.measure, price};
        }
        return price;
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
