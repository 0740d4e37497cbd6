// These costs define a case of a lab: for its profile, and for closed forms.
#pragma once

#include "libsim/config/toml_file.hpp"
#include "libsim/units.hpp"
#include "ranks/lab.hpp"

#include <vector>

namespace sim::labs {

// The costs of gpu-py: compute takes a fixed time per unit; a message takes latency + units x seconds_per_data_unit at
// its sender, and one more latency, for the acknowledgement, at its receiver.
struct UnitCosts {
    double seconds_per_unit = 0.1;
    double latency_seconds = 0.05;
    double seconds_per_data_unit = 0.01;

    std::vector<config::TomlEntry> entries() const;
    Duration compute(Units units) const;
    Duration send(Units units) const;
    Duration receive() const;  // once the message has arrived
};

// Costs in bytes and FLOPs: a message takes latency + bytes / bandwidth, and its receiver pays nothing. A rank with a
// slowdown takes that many times as long to compute.
struct UniformCosts {
    double latency_seconds = 0;
    double bytes_per_second = 1e9;
    double flops_per_second = 1e12;
    std::vector<double> slowdown = {};

    std::vector<config::TomlEntry> entries() const;
    Duration compute(std::int64_t flops, int rank = 0) const;
    Duration message(std::int64_t bytes) const;
    // Reads latency_seconds, bytes_per_second and, if given, flops_per_second of a case.
    static UniformCosts of(const lab::Given& given);
    // 2 (N-1) (L + ceil(S/N) / B), if all ranks begin together.
    Duration ring_all_reduce(int ranks, std::int64_t bytes) const;
};

// Time of a ring reduce-scatter or all-gather of `bytes`: n - 1 steps of one n-th. An all-reduce is both.
Duration half_ring_time(const UniformCosts& costs, int members, std::int64_t bytes);
std::int64_t half_ring_bytes(int members, std::int64_t bytes);  // sent by each member

// Nodes of ranks_per_node ranks: one network within each, another between them.
struct NodeCosts {
    int ranks_per_node = 1;
    UniformCosts within;
    UniformCosts across;  // only its message costs are used

    std::vector<config::TomlEntry> entries() const;
};

}  // namespace sim::labs
