// A sweep times collectives of several sizes by several methods, each alone on the cluster and started by all ranks at
// 0.
//
// A method is an algorithm, timed by its messages on the links of the cluster (wire time), or NCCL: its own choice of
// algorithm and protocol, at what a training step is charged for it (network/nccl.hpp).
#pragma once

#include "libsim/collectives/time/fastest_algorithm.hpp"
#include "libsim/network/nccl_ways.hpp"
#include "libsim/search/collective_case.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sim::search {

// NCCL's own, and the ranks on the nodes of its network.
struct NcclMethod {
    network::Nccl network;
    network::Footprint members;
};

// The nodes of a machine that the ranks lie on.
struct NodesUsed {
    int nodes = 1;
    int on_node = 1;  // ranks; fewer on the last
};

// The time of a collective by NCCL; of a send and receive, the time of its slowest message.
struct NcclTime {
    Duration time{0};
    std::int64_t sent = 0;             // by all members
    const char* algorithm = "direct";  // of messages, too
    const char* protocol = "Simple";
    double latency = 0;                  // of the time, what no byte takes, in seconds
    std::vector<network::NcclWay> ways;  // that it was chosen from; none of messages
};

struct TimedMethod {
    std::string name;  // of the algorithm, with what was chosen about it
    CollectiveCase what;
    std::variant<CollectiveTime, NcclTime> time;
    std::optional<std::int64_t> wrong;  // numbers, of all ranks; none: it was not carried out with numbers

    // Null: the other one holds.
    const CollectiveTime* on_wires() const { return std::get_if<CollectiveTime>(&time); }
    const NcclTime* by_nccl() const { return std::get_if<NcclTime>(&time); }
    Time end() const;
    double seconds() const { return sim::seconds(end()); }
    double algorithm_bandwidth() const;  // bytes/s; 0 where it takes no time
    double bus_bandwidth() const { return algorithm_bandwidth() * what.bus_factor(); }
};

// One size.
struct SweepRow {
    std::vector<TimedMethod> timed;         // at least one, all of the same size
    std::size_t fastest = 0;                // of those on wires, if there are any; of equals the first
    std::vector<CandidateTime> considered;  // where the fastest was looked for: all of them

    const CollectiveCase& what() const { return timed.front().what; }
    const TimedMethod& best() const { return timed[fastest]; }
};

// A sweep has these parameters besides the sizes.
struct Sweep {
    Cluster cluster;
    CollectiveCase what;  // any size
    std::vector<AlgorithmConfig> configs;
    std::optional<Schedule> custom;  // in place of a method's
    bool only_fastest = false;
    std::string library = "NCCL";      // whose collectives they are
    std::optional<NodesUsed> machine;  // none: the cluster is a topology or a profile
    std::optional<NcclMethod> nccl;    // the first method of each row
    bool wires = true;                 // the configurations follow; false: by NCCL alone

    // What the methods of every row are called, in their order.
    std::vector<std::string> methods() const;
};

// The largest case of at most `bytes`; nothing where some rank would have no element.
std::optional<CollectiveCase> case_of(const CollectiveCase& what, std::int64_t bytes);

// Requires: the sweep has NCCL's method or those on wires.
SweepRow time_of_size(const Sweep& sweep, const CollectiveCase& what);

// The schedule that the sweep carries a case out by. Requires: it is timed on wires.
Schedule schedule_for(const Sweep& sweep, const CollectiveCase& what);

}  // namespace sim::search
