// An injection is a fault that a run is asked to suffer: what breaks, or slows down, at which simulated time.
//
// The same injections give the same timeline in every run and on every host. As text: libsim/config/injection_text.hpp;
// what they do to a run, with all rules: docs/faults.md.
#pragma once

#include "libsim/faults/part.hpp"
#include "libsim/units.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace sim::faults {

// From one simulated time to another; without an end: to the end of the run. With `every` it comes back each so often.
// Requires: from < until; every: 0, or at least until - from.
struct Window {
    Time from{};
    Time until = Time::max();
    Duration every{0};
};

// A rank dies at the first op that it would begin at this time or later. One that has finished by then lives.
struct KillRank {
    int rank = 0;
    Time at;
};

// All ranks of a node die so. Requires: a network with nodes.
struct KillNode {
    int node = 0;
    Time at;
};

// A rank begins no op meanwhile, and computes nothing; messages that are under way arrive, and asynchronous ops that it
// has issued go on.
struct StopRank {
    int rank = 0;
    Time at;
    Duration span{0};
};

// Computations of a rank take `factor` times as long meanwhile: a weaker or a hot GPU.
struct SlowRank {
    int rank = 0;
    double factor = 1;  // 1 or more
    Window window;
};

// Every computation of a rank, or of all (-1), takes longer by a random share of itself, evenly distributed between 0
// and twice this mean: the noise of what else runs there. The same seed gives the same noise.
struct Noise {
    int rank = -1;
    double mean = 0;
    std::uint64_t seed = 1;
};

// One end of a link: a rank, or a vertex of a topology by its name.
using LinkEnd = std::variant<int, std::string>;

// A link is so many times slower meanwhile, in both directions. On a topology: the cable between two of its vertices,
// whose bandwidth is divided. Elsewhere: the messages between two ranks take so many times as long; so does a
// collective that has a price as a whole, if both are members.
struct SlowLink {
    LinkEnd a;
    LinkEnd b;
    double factor = 1;
    Window window;
};

// No message that begins at this time or later gets through this network card. On a topology with cards: the card of
// that number. Elsewhere: that of the rank of that number, which leads to other nodes, or where there are no nodes, to
// all.
struct DropNic {
    int nic = 0;
    Time at;
};

// Parts fail at random, each after a lifetime of its own (failure_rates.hpp): a GPU's rank and a node die, a link's
// card drops out. The same seed gives the same failures.
struct RandomFailures {
    Part part = Part::gpu;
    Duration mean{0};  // of one part's lifetime; above 0
    double shape = 1;  // of the Weibull distribution; 1: exponential
    std::uint64_t seed = 1;
};

using Injection = std::variant<KillRank, KillNode, StopRank, SlowRank, Noise, SlowLink, DropNic, RandomFailures>;

// It may end the run: ranks die, or messages do not arrive.
bool breaks(const Injection& injection);
// How many times as long each rank computes from the beginning to the end; empty: none is slow for good.
std::vector<double> lasting_slowdowns(std::span<const Injection> injections, int ranks);

// As it is typed: "kill rank 3 at 120ms".
std::string to_text(const Injection& injection);
// Of several, with "; " between them.
std::string to_text(std::span<const Injection> injections);

}  // namespace sim::faults
