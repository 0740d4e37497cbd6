// A plan is what a rank's program does for its trace: nodes on streams, in order, each after its waits.
//
// The program issues a node of another stream as soon as it is past the computations that the node depends on. Waits
// for other streams happen on the stream of the dependent node, so that the program never waits for something that only
// another stream needs.
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/interop/chakra/files.hpp"
#include "libsim/interop/chakra/meetings.hpp"
#include "libsim/interop/chakra/trace.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace sim::chakra {

// The order of the nodes on the streams of their ranks if a trace gives only dependencies: that of a run on a network
// that costs nothing, in which a rank computes one node at a time: the ready node with the smallest id. All ranks'
// streams thus keep one common order, in which no node precedes its dependencies or its partners, so streams that
// execute their nodes in sequence never deadlock.
struct OrderQuestion {
    const Traces& traces;
    const std::vector<Graph>& graphs;                 // by rank
    const std::vector<std::vector<Duration>>& times;  // computation time by rank and node; 0: none
    const Meetings& meetings;
};

// Orders by rank. Throws DeadlockError, which names the nodes that wait for each other.
std::vector<std::vector<std::uint32_t>> order_of(const OrderQuestion& question);

// Stream by meeting, 1 and above, if the trace does not give it: the same on all ranks that meet. Each process group
// has its own stream, as communicators do, and so do the messages that a rank sends: they leave in sequence,
// concurrently with its receives. Groups share a stream if a rank needs more than there are.
std::vector<Stream> streams_of(const Meetings& meetings, int ranks);

struct Step {
    std::uint32_t node = 0;
    Stream stream = Stream::main;
    std::vector<std::uint32_t> waits;  // steps of other streams
    bool is_awaited = false;
};
using Plan = std::vector<Step>;

struct PlanQuestion {
    const Graph& graph;
    // Stream by node; a node without one takes no time, and ends when its dependencies have ended.
    const std::vector<std::optional<Stream>>& streams;
    // All nodes, each after its dependencies.
    const std::vector<std::uint32_t>& order;
    // Keeps the order of the whole program, not only that of each of its streams.
    bool keeps_order = false;
};

Plan plan_of(const PlanQuestion& question);

// A computation of t picoseconds is one of t FLOPs on the cluster that runs the program.
inline constexpr Pace picosecond_per_flop{1, 1};

struct RankWork {
    const RankTrace& trace;
    const std::vector<Duration>& times;  // by node
    const Plan& plan;
    const Meetings& meetings;
};

// A rank program that carries out a plan: its nodes become operations of a GPU, and it observes no results. Every
// message has its own tag, so that meetings match in whatever order the streams run.
void execute(GPU& gpu, const RankWork& work);

}  // namespace sim::chakra
