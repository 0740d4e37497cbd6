#include "tools/labs/costs.hpp"

namespace sim::labs {

namespace {

const char* const costs_of_lab = "the lab's costs";

}  // namespace

std::vector<config::TomlEntry> UnitCosts::entries() const {
    return {{"kind", costs_of_lab, std::string("units")},
            {"compute.seconds_per_unit", costs_of_lab, seconds_per_unit},
            {"network.latency_seconds", costs_of_lab, latency_seconds},
            {"network.seconds_per_data_unit", costs_of_lab, seconds_per_data_unit}};
}

Duration UnitCosts::compute(Units units) const {
    return time_for(units.billionths(), pace_of_unit(seconds_per_unit));
}

Duration UnitCosts::send(Units units) const {
    return duration_of_seconds(latency_seconds) + time_for(units.billionths(), pace_of_unit(seconds_per_data_unit));
}

Duration UnitCosts::receive() const {
    return duration_of_seconds(latency_seconds);
}

std::vector<config::TomlEntry> UniformCosts::entries() const {
    std::vector<config::TomlEntry> entries{{"kind", costs_of_lab, std::string("uniform")},
                                           {"compute.flops_per_second", costs_of_lab, flops_per_second},
                                           {"network.latency_seconds", costs_of_lab, latency_seconds},
                                           {"network.bytes_per_second", costs_of_lab, bytes_per_second}};
    if (!slowdown.empty()) {
        entries.push_back({"compute.slowdown", costs_of_lab, slowdown});
    }
    return entries;
}

Duration UniformCosts::compute(std::int64_t flops, int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    const Pace pace = pace_of(FlopRate{static_cast<std::int64_t>(flops_per_second)});
    return time_for(flops, at < slowdown.size() ? slowed(pace, slowdown[at]) : pace);
}

Duration UniformCosts::message(std::int64_t bytes) const {
    return duration_of_seconds(latency_seconds) +
           time_for(bytes, pace_of(Bandwidth{static_cast<std::int64_t>(bytes_per_second)}));
}

UniformCosts UniformCosts::of(const lab::Given& given) {
    UniformCosts costs{.latency_seconds = given["latency_seconds"], .bytes_per_second = given["bytes_per_second"]};
    if (given.numbers().contains("flops_per_second")) {
        costs.flops_per_second = given["flops_per_second"];
    }
    return costs;
}

Duration UniformCosts::ring_all_reduce(int ranks, std::int64_t bytes) const {
    return 2 * half_ring_time(*this, ranks, bytes);
}

Duration half_ring_time(const UniformCosts& costs, int members, std::int64_t bytes) {
    return members == 1 ? Duration{0} : (members - 1) * costs.message(ceil_div(bytes, members));
}

std::int64_t half_ring_bytes(int members, std::int64_t bytes) {
    return (members - 1) * ceil_div(bytes, members);
}

std::vector<config::TomlEntry> NodeCosts::entries() const {
    std::vector<config::TomlEntry> all = within.entries();
    all.push_back({"network.ranks_per_node", costs_of_lab, std::int64_t{ranks_per_node}});
    all.push_back({"network.across_nodes.latency_seconds", costs_of_lab, across.latency_seconds});
    all.push_back({"network.across_nodes.bytes_per_second", costs_of_lab, across.bytes_per_second});
    return all;
}

}  // namespace sim::labs
