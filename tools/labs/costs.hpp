// What things cost in a case of a lab: for its profile, and for closed forms.
#pragma once

#include "libsim/config/toml_file.hpp"
#include "libsim/units.hpp"
#include "ranks/lab.hpp"

#include <vector>

namespace sim::labs {

// As gpu-py: a unit of compute takes so long; a message latency + units x seconds_per_data_unit at its sender, and the
// latency once more, as acknowledgement, at its receiver.
struct UnitCosts {
    double seconds_per_unit = 0.1;
    double latency_seconds = 0.05;
    double seconds_per_data_unit = 0.01;

    std::vector<config::TomlEntry> entries() const;
    Duration compute(Units units) const;
    Duration send(Units units) const;
    Duration receive() const;  // once the message is there
};

// In bytes and FLOPs: a message takes latency + bytes / bandwidth, and its receiver pays nothing. A rank that has a
// slowdown computes so many times as long.
struct UniformCosts {
    double latency_seconds = 0;
    double bytes_per_second = 1e9;
    double flops_per_second = 1e12;
    std::vector<double> slowdown = {};

    std::vector<config::TomlEntry> entries() const;
    Duration compute(std::int64_t flops, int rank = 0) const;
    Duration message(std::int64_t bytes) const;
    // What the numbers latency_seconds, bytes_per_second and, where there is one, flops_per_second of a case say.
    static UniformCosts of(const lab::Given& given);
    // 2 (N-1) (L + ceil(S/N) / B), where all ranks begin together.
    Duration ring_all_reduce(int ranks, std::int64_t bytes) const;
};

// A ring's reduce-scatter or all-gather of so many bytes: n - 1 steps of one n-th. An all-reduce is both.
Duration half_ring_time(const UniformCosts& costs, int members, std::int64_t bytes);
std::int64_t half_ring_bytes(int members, std::int64_t bytes);  // that each member sends in it

// Nodes of so many ranks: one network within each, another between them.
struct NodeCosts {
    int ranks_per_node = 1;
    UniformCosts within;
    UniformCosts across;  // its messages alone

    std::vector<config::TomlEntry> entries() const;
};

}  // namespace sim::labs
