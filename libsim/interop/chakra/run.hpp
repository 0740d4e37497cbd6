// This function runs a trace on a cluster: computations take the time given in the trace, messages and collectives the
// time that the cluster's network gives them.
//
// A node begins when its dependencies have ended and its stream has reached it. A rank computes one node at a time, the
// one with the smallest id first; its communication overlaps (plan.hpp). Memory nodes take their time as
// computations do. CPU nodes take no time unless cpu_time is set.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/interop/chakra/files.hpp"
#include "libsim/replay/recording.hpp"

namespace sim::chakra {

struct RunOptions {
    Cluster cluster;        // its FLOP rate applies to computations without a time
    bool cpu_time = false;  // CPU nodes take their time as well
    bool hash_timeline = false;
    SpanSink on_span = nullptr;
};

// Throws UsageError for a trace that cannot run: a missing group or file (meetings.hpp), a computation without a time
// or price, a size without a price. Throws MismatchError and DeadlockError, which name the nodes.
replay::Replay run(const Traces& traces, const RunOptions& options);

}  // namespace sim::chakra
