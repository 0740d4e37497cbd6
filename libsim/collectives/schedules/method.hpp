// How a collective is carried out: by which algorithm, and in how many parts.
//
// A method is an algorithm and what can be chosen about it; an algorithm alone is one, too. All members of a collective
// must name the same. Which kinds have which algorithms, and what each costs: docs/collectives.md.
#pragma once

#include "libsim/op.hpp"

#include <string>
#include <vector>

namespace sim {

struct MethodOptions {
    // Sequences of steps that run side by side, each on its part of the data, each on a stream of its own. 1 … 32.
    // Direct: its messages are dealt out to them.
    int channels = 1;
    // Of a pipeline (ring and double binary tree, of broadcast and reduce; double binary tree of an all-reduce): into
    // how many chunks a channel's part is cut, up to 255. 0: the algorithm's own number.
    int pieces = 0;
    // Hierarchical: ranks of an innermost group, and, for three levels, how many such groups form the next one. Up to
    // 511. 0: no such level. Their product divides the number of members.
    // Ring: `inner` ranks of a node, which each channel leaves by another of them (ring_order.hpp). 0: by the last.
    int inner = 0;
    int middle = 0;
    friend bool operator==(const MethodOptions&, const MethodOptions&) = default;
};

struct Method : MethodOptions {
    Algorithm algorithm;

    constexpr Method(Algorithm a = Algorithm::ring, const MethodOptions& options = {})
        : MethodOptions(options), algorithm(a) {}
    friend bool operator==(const Method&, const Method&) = default;
};

inline constexpr int most_channels = 32;
inline constexpr int most_pieces = 255;
inline constexpr int most_inner = 511;

// What a collective uses if nobody says: ring; direct for gather, scatter and all-to-all; Bruck's for a barrier.
Algorithm default_algorithm(CollectiveKind kind);
bool has_algorithm(CollectiveKind kind, Algorithm algorithm);
const std::vector<Algorithm>& all_algorithms();
std::vector<Algorithm> algorithms_of(CollectiveKind kind);

// Throws ProgramError, which names what there is, unless `members` ranks can carry out `kind` so.
void check_method(CollectiveKind kind, const Method& method, int members);

// What channels have to themselves: on private links each has a sender of its own. With rails, each rank of a node has
// a network card of its own (network/rails.hpp).
enum class Wiring : std::uint8_t { private_links, shared_links, rails };

// What is worth trying for `members` ranks, of which `ranks_per_node` (0: unknown) are on one node: every algorithm,
// pipelines in several lengths. One channel each where links are private: more channels would be more links. Where they
// are shared, also direct messages many at a time, among up to 256 members: beyond, so many flows at once take long to
// solve. With rails, also a ring by all of them, of up to 32; but for pipelines, whose times then have no closed form.
std::vector<Method> methods_for(CollectiveKind kind, int members, int ranks_per_node,
                                Wiring wiring = Wiring::private_links);

// "ring", "ring, 4 channels", "hierarchical, inner 8, middle 4".
std::string text_of(const Method& method);

// As Op::tag, 0 for an algorithm alone. Requires: a method that check_method() lets pass.
std::int32_t packed(const MethodOptions& options);
Method method_of(const Op& op);

}  // namespace sim
