// A recording keeps the ops of a rank program as an array and replays them without stacks, any number of times.
//
// A program that observes nothing (no now(), no data) is recorded on its own; any other while it runs
// (LaunchOptions::record in ranks/launch.hpp): the ops are then those of that run, even when replayed on a network with
// other times. Ranks that do the same to their neighbours share one recording. Cost: 32 B per distinct op of memory,
// about 10 ns per op to replay.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/faults/injection.hpp"
#include "libsim/gpu.hpp"
#include "libsim/kernel/parts/wrong_ops.hpp"
#include "libsim/kernel/run_totals.hpp"
#include "libsim/names.hpp"
#include "libsim/op.hpp"
#include "libsim/replay/op_stream.hpp"
#include "libsim/trace/span.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sim::replay {

struct ReplayOptions {
    Cluster cluster = gpu_py();
    bool hash_timeline = true;  // fills Replay::timeline_sha256
    SpanSink on_span = nullptr;
    std::vector<faults::Injection> faults = {};
};

struct Replay : kernel::RunTotals {
    std::string timeline_sha256;
    std::vector<int> dead = {};                 // ranks killed by faults
    std::int64_t lost_messages = 0;             // to faults
    std::vector<kernel::WrongOp> waiting = {};  // ranks that faults keep from ever resuming
};

class Recording {
public:
    // Runs `program` once for each rank, alone. Throws ProgramError if it observes; passes on whatever it throws.
    Recording(int ranks, const Program& program);
    // The ops of all ranks of a completed run (op_tape.hpp), with its tables.
    Recording(std::vector<OpStream> ops, const Names& names, const Groups& groups);

    int ranks() const { return static_cast<int>(stream_of_.size()); }
    // The number of recordings kept: 1 if all ranks behave alike.
    std::size_t distinct() const { return streams_.size(); }

    // The timeline is that of the program itself. Throws ProgramError for the program's errors, as the kernel does.
    Replay replay(const ReplayOptions& options = {}) const;

    // Calls visit(op) for each op of `rank`, in program order; OpKind::finish is the last.
    template <class Visit>
    void for_each_op(int rank, Visit visit) const {
        const OpStream& ops = streams_[stream_of_[static_cast<std::size_t>(rank)]];
        for (std::size_t block = 0; block < ops.blocks(); ++block) {
            for (const Op& op : ops.block(block)) {
                visit(of_rank(op, rank));
            }
        }
    }
    const std::string& text(Label label) const { return names_.text(label); }
    const Group& group(GroupId id) const { return groups_[static_cast<std::size_t>(id)]; }
    const std::vector<Group>& groups() const { return groups_; }

private:
    class Sharing;

    // The peers of messages are stored as distances around the world.
    static bool has_distance(const Op& op) { return op.kind == OpKind::send || op.kind == OpKind::receive; }
    Op of_rank(Op op, int rank) const {
        if (has_distance(op)) {
            op.peer = op.peer + rank < ranks() ? op.peer + rank : op.peer + rank - ranks();
        }
        return op;
    }
    void keep_groups(const Groups& groups);

    std::vector<OpStream> streams_;
    std::vector<std::size_t> stream_of_;
    Names names_;
    std::vector<Group> groups_;
};

// A program that follows a host's clock (GPU::idle_until, GPU::issue_from) fixes the time of its ops, not only their
// order; formats that store only the order cannot hold it. Throws ProgramError for such an op; `what` names the format.
void require_no_host_clock(int rank, const Op& op, const char* what);

}  // namespace sim::replay
