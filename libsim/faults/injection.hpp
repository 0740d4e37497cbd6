// An injection is a fault that a run is to suffer: what breaks or slows down, and at which simulated time.
//
// The same injections give the same timeline in every run and on every host. libsim/config/injection_text.hpp defines
// them as text; docs/faults.md describes their effects on a run, with all rules.
#pragma once

#include "libsim/faults/part.hpp"
#include "libsim/units.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace sim::faults {

// From one simulated time to another; without an end, to the end of the run. With `every`, it recurs at that period.
// Requires: from < until; every: 0, or at least until - from.
struct Window {
    Time from{};
    Time until = Time::max();
    Duration every{0};
};

// A rank dies at the first op that it would begin at this time or later. A rank that has finished by then survives.
struct KillRank {
    int rank = 0;
    Time at;
};

// All ranks of a node die, each as with KillRank. Requires: a network with nodes.
struct KillNode {
    int node = 0;
    Time at;
};

// During this time a rank begins no op and computes nothing; messages already in flight arrive, and asynchronous ops
// that it has issued continue.
struct StopRank {
    int rank = 0;
    Time at;
    Duration span{0};
};

// During the window, computations of a rank take `factor` times as long: a weaker or a hot GPU.
struct SlowRank {
    int rank = 0;
    double factor = 1;  // 1 or more
    Window window;
};

// Every computation of a rank, or of all (-1), takes longer by a random fraction, uniform between 0 and twice this
// mean: noise from other activity on the machine. The same seed gives the same noise.
struct Noise {
    int rank = -1;
    double mean = 0;
    std::uint64_t seed = 1;
};

// One end of a link: a rank, or the name of a topology's vertex.
using LinkEnd = std::variant<int, std::string>;

// During the window a link is slower by this factor, in both directions. On a topology: the cable between two of its
// vertices, with its bandwidth divided. Elsewhere: messages between two ranks take that many times as long, and so does
// a collective priced as a whole if both are members.
struct SlowLink {
    LinkEnd a;
    LinkEnd b;
    double factor = 1;
    Window window;
};

// No message that begins at this time or later passes this network card. On a topology with cards: the card with that
// number. Elsewhere: the card of the rank with that number, which leads to other nodes or, without nodes, to all ranks.
struct DropNic {
    int nic = 0;
    Time at;
};

// Parts fail at random, each after its own lifetime (failure_rates.hpp): for a GPU its rank dies, for a node all of its
// ranks, and for a link its card drops out. The same seed gives the same failures.
struct RandomFailures {
    Part part = Part::gpu;
    Duration mean{0};  // lifetime of one part; above 0
    double shape = 1;  // of the Weibull distribution; 1: exponential
    std::uint64_t seed = 1;
};

using Injection = std::variant<KillRank, KillNode, StopRank, SlowRank, Noise, SlowLink, DropNic, RandomFailures>;

// Whether it may end the run, because ranks die or messages do not arrive.
bool breaks(const Injection& injection);
// The factors by which each rank is slower from beginning to end; empty: no rank is slow throughout.
std::vector<double> lasting_slowdowns(std::span<const Injection> injections, int ranks);

// As typed: "kill rank 3 at 120ms".
std::string to_text(const Injection& injection);
// Several, separated by "; ".
std::string to_text(std::span<const Injection> injections);

}  // namespace sim::faults
