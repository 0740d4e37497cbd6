// This class matches waiting receives with messages that have arrived, first come, first served.
//
// A receive from any rank or with any tag must look at all that waits there, in order; so must every operation at a
// rank that has one. Elsewhere there is a queue for each (receiver, sender, tag), in a hash table that holds only
// queues with something
// in them, and of receives or of messages, never of both.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

#include <unordered_map>
#include <vector>

namespace sim::goal {

inline constexpr OpIndex no_op = UINT32_MAX;

// Whether `receive` takes the message of `send`, which goes to its rank.
inline bool fits(const GoalOp& receive, const GoalOp& send) {
    return (receive.peer == any || receive.peer == send.rank) &&
           (receive.tag == any || send.tag == any || receive.tag == send.tag);
}

class Meeting {
public:
    explicit Meeting(const GoalSchedule& schedule);

    // The receive that matches the message of `send`, which is then removed; or none: the message waits for one.
    OpIndex message(OpIndex send);
    // The send whose message matches `receive`; or none: the receive waits for one.
    OpIndex receive(OpIndex receive);

    // All waiting operations: receives, and sends for their messages, each in ascending order.
    struct Waiting {
        std::vector<OpIndex> receives;
        std::vector<OpIndex> messages;
    };
    Waiting waiting() const;

private:
    struct Key {
        std::uint32_t receiver;
        std::uint32_t sender;
        std::uint32_t tag;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Queue {
        Key key;
        OpIndex first = no_op;  // none: this slot is free
        OpIndex last = no_op;
    };
    struct Lists {
        std::vector<OpIndex> receives;
        std::vector<OpIndex> messages;
    };

    static std::size_t hash(const Key& key);
    OpIndex meet(const Key& key, OpIndex op);
    OpIndex meet_any(OpIndex op);
    std::size_t find(const Key& key) const;
    void erase(std::size_t slot);
    void grow();

    const GoalSchedule& schedule_;
    std::vector<OpIndex> next_;  // of a waiting operation, in its queue
    std::vector<Queue> slots_;   // a power of two of them, at most half used
    std::size_t used_ = 0;
    std::vector<bool> takes_any_;  // of each rank
    std::unordered_map<std::uint32_t, Lists> lists_;
};

}  // namespace sim::goal
