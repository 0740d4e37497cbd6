// A sweep times collectives of several sizes by several methods, each alone on the cluster and started by all ranks at
// 0.
//
// A method is an algorithm, timed by its messages on the links of the cluster (wire time), or NCCL: its own choice of
// algorithm and protocol, at the price that a training step is charged for it (network/nccl.hpp).
#pragma once

#include "libsim/collectives/time/fastest_algorithm.hpp"
#include "libsim/network/nccl.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/search/collective_case.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sim::search {

// NCCL's own choice, and how the ranks are spread over the nodes of its network.
struct NcclMethod {
    network::Nccl network;
    network::Footprint members;
};

// The nodes of a machine that the ranks are on.
struct NodesUsed {
    int nodes = 1;
    int on_node = 1;  // ranks; fewer on the last
};

// The time of a collective by NCCL, or the slowest message of a send and receive.
struct NcclTime {
    Duration time{0};
    std::int64_t sent = 0;             // by all members
    const char* algorithm = "direct";  // also that of messages
    const char* protocol = "Simple";
    double latency = 0;                  // the part of the time that does not depend on the bytes, in seconds
    std::vector<network::NcclWay> ways;  // the alternatives that NCCL chose from; none for messages
    std::string library = {};            // that executes it
};

struct TimedMethod {
    std::string name;  // of the algorithm, with its configuration
    CollectiveCase what;
    std::variant<CollectiveTime, NcclTime> time;
    std::optional<std::int64_t> wrong;  // wrong numbers on all ranks; none: run without data

    // Null if the other one holds.
    const CollectiveTime* on_wires() const { return std::get_if<CollectiveTime>(&time); }
    const NcclTime* by_nccl() const { return std::get_if<NcclTime>(&time); }
    Time end() const;
    double seconds() const { return sim::seconds(end()); }
    double algorithm_bandwidth() const;  // bytes/s; 0 if it takes no time
    double bus_bandwidth() const { return algorithm_bandwidth() * what.bus_factor(); }
};

// One size.
struct SweepRow {
    std::vector<TimedMethod> timed;         // at least one, all of the same size
    std::size_t fastest = 0;                // an index; of those timed on wires, if any; the first among equals
    std::vector<CandidateTime> considered;  // if the fastest was searched for: all candidates

    const CollectiveCase& what() const { return timed.front().what; }
    const TimedMethod& best() const { return timed[fastest]; }
};

// The parameters of a sweep besides its sizes.
struct Sweep {
    Cluster cluster;
    CollectiveCase what;  // any size
    std::vector<AlgorithmConfig> configs;
    std::optional<Schedule> custom;  // replaces the algorithm's
    bool only_fastest = false;
    std::string library = "NCCL";      // the library or compiler that executes the machine's collectives
    std::optional<NodesUsed> machine;  // none if the cluster is a topology or a profile
    std::optional<NcclMethod> nccl;    // the first method of each row
    bool wires = true;                 // the configurations are timed, too; false: only NCCL

    // The names of the methods in every row, in order.
    std::vector<std::string> methods() const;
};

// The largest case of at most `bytes`; nothing if some rank would have no element.
std::optional<CollectiveCase> case_of(const CollectiveCase& what, std::int64_t bytes);

// Requires: the sweep has NCCL's method or methods timed on wires.
SweepRow time_of_size(const Sweep& sweep, const CollectiveCase& what);

// The schedule that executes a case of the sweep. Requires: it is timed on wires.
Schedule schedule_for(const Sweep& sweep, const CollectiveCase& what);

// Timed collectives for programs; bandwidths are in bytes per second. One JSON object on one line, with a row for each
// size and method. If the fastest was searched for, rows also list the candidates under "considered".
std::string sweep_json(const Sweep& sweep, const std::vector<SweepRow>& rows);

// A row for each size and method.
report::Table sweep_rows(const Sweep& sweep, const std::vector<SweepRow>& rows);

// tools/schemas/collective.schema.json, and its part of columns.json.
report::SchemaText collective_schema();
report::SchemaText collective_columns();

}  // namespace sim::search
