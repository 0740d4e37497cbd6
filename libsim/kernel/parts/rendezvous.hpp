// A rendezvous brings the members of a collective together. The n-th collectives of a group's members on one stream
// belong together and must be the same: a meeting whose members disagree never completes. Collectives of a communicator
// belong together whatever stream each member runs them on, and the members of its all-to-alls may have different
// sizes, of which the largest counts.
#pragma once

#include "libsim/kernel/parts/mistakes.hpp"
#include "libsim/names.hpp"
#include "libsim/op.hpp"

#include <deque>
#include <unordered_map>
#include <vector>

namespace sim::kernel {

class Rendezvous {
public:
    explicit Rendezvous(const Groups& groups) : groups_(&groups) {}

    struct Attendance {
        std::uint32_t op_number = 0;  // from 1; 0: the member has not come
        Time at;
        Stream stream = Stream::main;  // the stream on which it came
    };
    struct Disagreement {
        int member;
        Op op;
    };
    struct Meeting {
        Op op;         // the op of the first member to come
        Time last_at;  // latest arrival so far
        Stream stream_of(int member) const {
            return came.empty() ? op.stream : came[static_cast<std::size_t>(member)].stream;
        }
        int arrived = 0;
        std::vector<Attendance> came;  // by member
        std::vector<std::uint32_t> brought =
            {};  // by member: number of its data, from 1; empty: no data (CollectiveStore)
        std::vector<Disagreement> dissent = {};  // members that came with a different op
    };

    // Enters `rank` into its next meeting of op's group.
    // Returns the meeting if this rank was the last to come and all agree, otherwise null; valid until the next call.
    // `brought`: number of the data that the rank brings, from 1; 0: none.
    const Meeting* arrive(int rank, std::uint32_t op_number, Time at, const Op& op, std::uint32_t brought = 0);

    // For explanations: the last incomplete meeting on the stream that `rank` has come to; null: none.
    const Meeting* open_meeting_of(int rank, Stream stream) const;
    // For explanations: the latest meeting that `rank` has come to and waits in; null: all members have come to it.
    const Meeting* latest_of(int rank, GroupId group, Stream stream) const;

    // Whether the members of any meeting disagree, and the first such mismatch.
    bool any_dissent() const { return any_dissent_; }
    std::optional<FoundMistake> first_mismatch() const;

    // The first incomplete meeting by group and stream, independent of wall time; null: all are complete. Valid until
    // the next call.
    const Meeting* first_open() const;

private:
    struct Group {
        std::vector<std::uint32_t> attended;  // by member: number of meetings
        std::unordered_map<int, int> index;   // by rank, unless ranks are evenly spaced
        std::deque<Meeting> open;
        std::uint32_t closed = 0;  // number of meetings completed and removed
    };

    Group& group_of(GroupId id, Stream stream);
    std::size_t place_of(GroupId id, Stream stream) const;
    int index_of(const Group& group, GroupId id, int rank) const;
    FoundMistake mismatch_of(const Meeting& meeting) const;

    const Groups* groups_;
    std::vector<std::vector<Group>> meetings_;  // by stream and group
    Meeting complete_;
    bool any_dissent_ = false;
    std::vector<Meeting> dissenting_;  // all members have come, but disagree
};

}  // namespace sim::kernel
