#include "libsim/cluster.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

namespace sim {

namespace {

[[noreturn]] void throw_no_price(const Cluster& cluster, const char* of, const char* instead) {
    throw ProgramError(fmt::format("profile {} has no price for {}; give the cost in {}, or use a profile that has one",
                                   cluster.name, of, instead));
}

// Sizes in units on a network that prices only bytes.
bool counts_as_bytes(const Cluster& cluster, Size size, Hop hop) {
    return size.measure == Measure::units && cluster.bytes_per_unit > 0 && cluster.network->prices(Measure::bytes, hop);
}

constexpr Pace free_of_charge{0, 1};

Pace pace_or_free(FlopRate rate) {
    return rate.flops_per_second > 0 ? pace_of(rate) : free_of_charge;
}

Uniform links(const LinkOptions& options) {
    return {.latency = options.latency,
            .acknowledgement = options.acknowledgement,
            .per_byte = options.bandwidth.bytes_per_second > 0 ? pace_of(options.bandwidth) : free_of_charge,
            .per_billionth_unit = {}};
}

// Work given as a time needs no price.
std::optional<Pace> pace_of_work(const Compute& compute, Measure measure) {
    switch (measure) {
        case Measure::flops: return compute.per_flop;
        case Measure::picoseconds: return Pace{1, 1};
        default: return compute.per_billionth_unit;
    }
}

}  // namespace

Cluster gpu_py() {
    using namespace std::chrono_literals;
    Cluster cluster;
    cluster.name = "gpu-py";
    cluster.compute.per_billionth_unit = pace_of_unit(0.1);
    cluster.network =
        Uniform{.latency = 50ms, .acknowledgement = 50ms, .per_byte = {}, .per_billionth_unit = pace_of_unit(0.01)};
    return cluster;
}

Cluster uniform(const UniformOptions& options) {
    Cluster cluster;
    cluster.name = "uniform";
    cluster.compute.per_flop = pace_or_free(options.flops);
    cluster.network = links({options.latency, options.bandwidth, options.acknowledgement});
    return cluster;
}

Cluster nodes(const NodesOptions& options) {
    Cluster cluster;
    cluster.name = "nodes";
    cluster.compute.per_flop = pace_or_free(options.flops);
    cluster.network = Nodes{
        .ranks_per_node = options.ranks_per_node, .within = links(options.within), .across = links(options.across)};
    return cluster;
}

void require_price(const Cluster& cluster, Size size, Hop hop) {
    const bool in_bytes = size.measure == Measure::bytes;
    const bool has_price = cluster.network->prices(size.measure, hop) || counts_as_bytes(cluster, size, hop);
    if (size.amount != 0 && !has_price) {  // an empty message needs no price
        throw_no_price(cluster, in_bytes ? "bytes" : "units of data", in_bytes ? "units" : "bytes");
    }
}

std::int64_t bytes_of(const Cluster& cluster, Size size) {
    return size.measure == Measure::bytes
               ? size.amount
               : time_for(size.amount, {cluster.bytes_per_unit, Units::per_unit}).count();  // rounded up, and checked
}

Duration transfer_time(const Cluster& cluster, Size size, Hop hop) {
    require_price(cluster, size, hop);
    const bool as_it_is = cluster.network->prices(size.measure, hop) || size.amount == 0;
    return cluster.network->message_time(as_it_is ? size : Size{Bytes{bytes_of(cluster, size)}}, hop);
}

Duration compute_time(const Cluster& cluster, int rank, Work work) {
    const Compute& compute = cluster.compute;
    const std::optional<Pace> pace = pace_of_work(compute, work.measure);
    if (work.amount == 0) {
        return Duration{0};
    }
    if (!pace) {
        throw_no_price(cluster, work.measure == Measure::flops ? "FLOPs" : "units of compute",
                       work.measure == Measure::flops ? "units" : "FLOPs");
    }
    const auto index = static_cast<std::size_t>(rank);
    if (index < compute.slowdown.size() && compute.slowdown[index] != 1.0) {
        return time_for(work.amount, slowed(*pace, compute.slowdown[index]));
    }
    return time_for(work.amount, *pace);
}

bool links_are_shared(const Cluster& cluster) {
    return cluster.network->shared_topology() != nullptr;
}

}  // namespace sim
