// Walks execute collectives by size on shared links: each member follows the schedule message by message, with one walk
// per channel.
//
// A message of a walk is a flow like any other, so it competes with all other traffic and takes exactly as long as the
// same message of a program.
// (1) A walk waits for at most one message, its own or another's.
// (2) A member's collective has ended when all of its channels' walks have. Whoever moved the last one is told so, and
//     lets the stream go on.
#pragma once

#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/schedule.hpp"
#include "libsim/group.hpp"
#include "libsim/kernel/features/shared_links.hpp"
#include "libsim/kernel/parts/ids.hpp"
#include "libsim/kernel/parts/rank_state.hpp"
#include "libsim/names.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sim::kernel {

class Walks {
public:
    // The end of a member's part of a collective.
    struct MemberEnd {
        int rank;
        Stream on;
        MemberClock clock;
    };

    // All of these must outlive this object.
    Walks(SharedLinks& links, const Groups& groups, Ranks& ranks, Matching& matching, Transfers& transfers)
        : links_(&links), groups_(&groups), ranks_(&ranks), matching_(&matching), transfers_(&transfers) {}

    // The rank begins a collective on a stream. Returns its end if it ends at once, as do the next two.
    std::optional<MemberEnd> begin(int rank, Stream on, NumberedOp at, Schedule schedule);
    // The message that the walk waits for has arrived.
    std::optional<MemberEnd> end_receive(WalkId id, const Message& message);
    // The walk's own message has arrived at `at`.
    std::optional<MemberEnd> end_send(WalkId id, Time at);

private:
    // The state that the walks of one member share.
    struct Plan {
        Schedule schedule;
        const Group* group;
        Op op;              // the collective
        std::int64_t each;  // size of a chunk
        std::uint32_t op_number;
    };
    struct Walk {
        std::shared_ptr<const Plan> plan;
        int rank = -1;
        int member = -1;
        int channel = 0;
        int at = -1;  // step
        bool sent = false;
        Step step = {};
        Time clock = {};
        Duration busy{0};
    };

    WalkId add(Walk walk);
    // Valid until the next add().
    Walk& of(WalkId id) { return all_[static_cast<std::size_t>(id)]; }
    static std::int32_t tag_of(const Walk& walk);
    void next_step(WalkId id);
    std::optional<MemberEnd> go_on(WalkId id);
    void send(WalkId id);
    bool receive(WalkId id);
    void receive(WalkId id, const Message& message);
    std::optional<MemberEnd> end(WalkId id);

    SharedLinks* links_;
    const Groups* groups_;
    Ranks* ranks_;
    Matching* matching_;
    Transfers* transfers_;
    std::vector<Walk> all_;
    std::vector<WalkId> free_;
};

}  // namespace sim::kernel
