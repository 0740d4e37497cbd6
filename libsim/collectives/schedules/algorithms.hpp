// This is the table of collective algorithms. Each row holds all that the rest of ndsim needs to know about an
// algorithm: its name, its function, the collectives it supports, its parameters, and the configurations worth trying.
//
// Names, parsing, checks, the candidates of `--algorithm auto`, the tests of promises and times, and the test of
// docs/collectives.md iterate over its rows (docs/how-to/add-a-collective-algorithm.md).
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::collectives {

// A set of kinds of collectives.
class CollectiveKinds {
public:
    constexpr CollectiveKinds(std::initializer_list<CollectiveKind> kinds) {
        for (const CollectiveKind kind : kinds) {
            bits_ |= bit(kind);
        }
    }
    constexpr bool contains(CollectiveKind kind) const { return (bits_ & bit(kind)) != 0; }

private:
    static constexpr unsigned bit(CollectiveKind kind) { return 1U << static_cast<unsigned>(kind); }
    unsigned bits_ = 0;
};

// The use that an algorithm makes of `inner`, the number of ranks per node, and `middle`.
enum class NodeUse : std::uint8_t {
    none,           // uses neither
    leaves_by_gpu,  // its channels leave a node through different GPUs; `inner` is optional
    levels,         // levels of a hierarchy: requires `inner`, accepts `middle`
};

struct AlgorithmRow {
    const char* name;
    Schedule (*schedule)(const ScheduleRequest&);
    CollectiveKinds kinds;
    CollectiveKinds default_of = {};   // collectives that use it by default
    CollectiveKinds one_channel = {};  // collectives that it supports with one channel only
    CollectiveKinds pipelines = {};    // collectives with an array that it cuts into `pieces` that follow each other
    CollectiveKinds bursts = {};       // collectives in which a member may send many messages at a time, one per
                                       // channel
    NodeUse nodes = NodeUse::none;
};

// "?" if there is no such row.
const char* name_of(Algorithm algorithm);
std::optional<Algorithm> algorithm_named(std::string_view name);
// Requires: a row of the table.
const AlgorithmRow& row_of(Algorithm algorithm);
std::vector<Algorithm> all_algorithms();

Algorithm default_algorithm(CollectiveKind kind);
bool has_algorithm(CollectiveKind kind, Algorithm algorithm);
std::vector<Algorithm> algorithms_of(CollectiveKind kind);

// Throws ProgramError, naming the alternatives, unless `members` ranks can carry out `kind` with this configuration.
void check_algorithm(CollectiveKind kind, const AlgorithmConfig& config, int members);

// The resources that channels do not share: on private links each has its own sender. With rails, each rank of a node
// has its own network card (network/routes.hpp).
enum class Wiring : std::uint8_t { private_links, shared_links, rails };

// The configurations worth trying for `members` ranks, `ranks_per_node` of them per node (0: unknown): every algorithm,
// and pipelines of several lengths. On private links with one channel each: more channels would mean more links. On
// shared links also bursts of up to 32 messages among up to 256 members: beyond, solving for that many simultaneous
// flows takes too long. With rails also with all of a node's ranks, up to 32, if channels leave a node through
// different GPUs; except for pipelines, which would then have no closed form.
std::vector<AlgorithmConfig> candidate_algorithms(CollectiveKind kind, int members, int ranks_per_node,
                                                  Wiring wiring = Wiring::private_links);

// "ring", "ring, 4 channels", "hierarchical, inner 8, middle 4".
std::string text_of(const AlgorithmConfig& config);

}  // namespace sim::collectives
