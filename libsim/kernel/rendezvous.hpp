// A rendezvous pairs the members of a collective. The n-th collectives of the members of a group, on one stream, belong
// together and must be the same: a meeting whose members disagree never completes. Those of a communicator belong
// together on whatever stream each member comes; there the members of an all-to-all may bring different sizes, of which
// the largest counts.
#pragma once

#include "libsim/kernel/mistakes.hpp"
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
        Stream stream = Stream::main;  // on which it has come
    };
    struct Dissent {
        int member;
        Op op;
    };
    struct Meeting {
        Op op;         // as the first member to come gave it
        Time last_at;  // of all who have come
        Stream stream_of(int member) const {
            return came.empty() ? op.stream : came[static_cast<std::size_t>(member)].stream;
        }
        int arrived = 0;
        std::vector<Attendance> came;             // by member
        std::vector<std::uint32_t> brought = {};  // by member: its data, from 1; empty: nobody any (DataBeside)
        std::vector<Dissent> dissent = {};        // members that came with another op
    };

    // Enters `rank` into its next meeting of op's group.
    // Returns the meeting if this rank was the last to come and all agree; it stays valid until the next call.
    // `brought`: the number of the data that it brings, from 1; 0: none.
    const Meeting* arrive(int rank, std::uint32_t op_number, Time at, const Op& op, std::uint32_t brought = 0);

    // For explanations: the last meeting on the stream that `rank` has come to and others have not; null: none.
    const Meeting* open_meeting_of(int rank, Stream stream) const;
    // For explanations: the meeting where `rank`, which waits in it, has come last; null: all have come to that.
    const Meeting* latest_of(int rank, GroupId group, Stream stream) const;

    // Whether the members of some meeting disagree, and where they did so first.
    bool any_dissent() const { return any_dissent_; }
    std::optional<FoundMistake> first_mismatch() const;

    // A meeting that some members never came to, the first by group and stream, whichever came first in wall time;
    // null: all are complete. Valid until the next call.
    const Meeting* first_open() const;

private:
    struct Group {
        std::vector<std::uint32_t> attended;  // by member: how many meetings
        std::unordered_map<int, int> index;   // of ranks, where they are not evenly spaced
        std::deque<Meeting> open;
        std::uint32_t closed = 0;  // how many are complete and gone
    };

    Group& group_of(GroupId id, Stream stream);
    std::size_t place_of(GroupId id, Stream stream) const;
    int index_of(const Group& group, GroupId id, int rank) const;
    FoundMistake mismatch_of(const Meeting& meeting) const;

    const Groups* groups_;
    std::vector<std::vector<Group>> meetings_;  // by stream and group
    Meeting complete_;
    bool any_dissent_ = false;
    std::vector<Meeting> dissenting_;  // to which all have come
};

}  // namespace sim::kernel
