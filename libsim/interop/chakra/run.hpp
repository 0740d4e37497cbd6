// Runs a trace on a cluster: its computations take the time that the trace says, its messages and collectives what they
// take on the cluster's network.
//
// A node begins when what it depends on has ended and its stream has come to it. A rank computes one node at a time,
// the one with the smallest id first; its communication runs beside (streams.hpp). Nodes of memory take their time as
// computations do. What runs on the CPU takes none, unless asked for.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/interop/chakra/files.hpp"
#include "libsim/replay/recording.hpp"

namespace sim::chakra {

struct RunOptions {
    Cluster cluster;        // its price of a FLOP is for computations that have no time
    bool cpu_time = false;  // nodes on the CPU take their time, too
    bool hash_timeline = false;
    SpanSink on_span = nullptr;
};

// Throws UsageError for a trace that cannot run: a group or file that is missing (meetings.hpp), a computation without
// a time or price, a size without one. MismatchError and DeadlockError, which name the nodes.
replay::Replay run(const Traces& traces, const RunOptions& options);

}  // namespace sim::chakra
