// This is the table of collective algorithms. Each row holds all that the rest of ndsim needs of an algorithm: its
// name, its function, the collectives it carries out, its parameters, and the configurations worth trying.
//
// Names, parsing, checks, the candidates of `--algorithm auto`, the tests of promises and times, and the test of
// docs/collectives.md go over its rows (docs/how-to/add-a-collective-algorithm.md).
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

// The way an algorithm uses `inner`, the ranks of a node, and `middle`.
enum class NodeUse : std::uint8_t {
    none,           // it takes neither
    leaves_by_gpu,  // its channels leave a node by different GPUs; `inner` may be left out
    levels,         // levels of a hierarchy: it needs `inner`, and takes `middle`
};

struct AlgorithmRow {
    const char* name;
    Schedule (*schedule)(const ScheduleRequest&);
    CollectiveKinds kinds;
    CollectiveKinds default_of = {};   // collectives that use it if nobody names another
    CollectiveKinds one_channel = {};  // collectives that it carries out in one channel only
    CollectiveKinds pipelines = {};    // collectives whose array it cuts into `pieces` that follow each other
    CollectiveKinds bursts = {};       // collectives of which a member may send many messages at a time, by channels
    NodeUse nodes = NodeUse::none;
};

// "?" where there is no such row.
const char* name_of(Algorithm algorithm);
std::optional<Algorithm> algorithm_named(std::string_view name);
// Requires: a row of the table.
const AlgorithmRow& row_of(Algorithm algorithm);
std::vector<Algorithm> all_algorithms();

Algorithm default_algorithm(CollectiveKind kind);
bool has_algorithm(CollectiveKind kind, Algorithm algorithm);
std::vector<Algorithm> algorithms_of(CollectiveKind kind);

// Throws ProgramError, which names the alternatives, unless `members` ranks can carry out `kind` so.
void check_algorithm(CollectiveKind kind, const AlgorithmConfig& config, int members);

// The resources that channels do not share: on private links each has a sender of its own. With rails, each rank of a
// node has a network card of its own (network/routes.hpp).
enum class Wiring : std::uint8_t { private_links, shared_links, rails };

// The configurations worth trying for `members` ranks, of which `ranks_per_node` (0: unknown) are on one node: every
// algorithm, pipelines in several lengths. One channel each where links are private: more channels would be more links.
// Where they are shared, also bursts of up to 32 messages among up to 256 members: beyond, so many flows at once take
// long to solve. With rails, also by all of them, of up to 32, where channels leave a node by different GPUs; except
// pipelines, whose times then have no closed form.
std::vector<AlgorithmConfig> candidate_algorithms(CollectiveKind kind, int members, int ranks_per_node,
                                                  Wiring wiring = Wiring::private_links);

// "ring", "ring, 4 channels", "hierarchical, inner 8, middle 4".
std::string text_of(const AlgorithmConfig& config);

}  // namespace sim::collectives
