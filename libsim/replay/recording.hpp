// A recording keeps the ops of a rank program as an array and replays them without stacks, as often as one likes.
//
// A program can be recorded if it observes nothing: no now(), no data. Ranks that do the same to their neighbours
// share one recording. Cost: 32 B per distinct op to keep; about 10 ns per op to replay.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/gpu.hpp"
#include "libsim/kernel/run_totals.hpp"
#include "libsim/names.hpp"
#include "libsim/replay/op_stream.hpp"
#include "libsim/trace/span.hpp"

#include <string>
#include <vector>

namespace sim::replay {

struct ReplayOptions {
    Cluster cluster = gpu_py();
    bool hash_timeline = true;  // fill Replay::timeline_sha256
    SpanSink on_span = nullptr;
};

struct Replay : kernel::RunTotals {
    std::string timeline_sha256;
};

class Recording {
public:
    // Runs `program` once for each rank, alone. Throws ProgramError if it observes, and whatever it throws.
    Recording(int ranks, const Program& program);

    int ranks() const { return static_cast<int>(stream_of_.size()); }
    // The number of recordings kept: 1 if all ranks behave alike.
    std::size_t distinct() const { return streams_.size(); }

    // The timeline is that of the program itself. Throws ProgramError for what the program did, as the kernel does.
    Replay replay(const ReplayOptions& options = {}) const;

private:
    std::vector<OpStream> streams_;  // peers of messages are distances around the world
    std::vector<std::size_t> stream_of_;
    Names names_;
    std::vector<Group> groups_;
};

}  // namespace sim::replay
