// The recorded host: a program's ops kept as an array, and replayed without stacks as often as one likes.
//
// A program can be recorded if it observes nothing: no now(), no data. Ranks that do the same to their neighbours
// share one recording. Cost: 32 B per distinct op to keep; about 10 ns per op to replay.
#pragma once

#include "libsim/names.hpp"
#include "libsim/replay/op_stream.hpp"
#include "ranks/launch.hpp"

#include <vector>

namespace sim::ranks {

class Recording {
public:
    // Runs `program` once for each rank, alone. Throws ProgramError if it observes, and whatever it throws.
    Recording(int ranks, const Program& program);

    int ranks() const { return static_cast<int>(stream_of_.size()); }
    // How many recordings are kept: 1 if all ranks do alike.
    std::size_t distinct() const { return streams_.size(); }

    // In the virtual clock; of the options only cluster, hash_timeline and on_span count.
    Result replay(const LaunchOptions& options) const;

private:
    std::vector<OpStream> streams_;  // peers of messages are distances around the world
    std::vector<std::size_t> stream_of_;
    Names names_;
    std::vector<Group> groups_;
};

}  // namespace sim::ranks
