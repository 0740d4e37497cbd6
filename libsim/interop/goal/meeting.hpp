// This class matches waiting receives with messages that have arrived, first come, first served.
//
// A receive from any rank or with any tag must scan everything that waits at its rank, in order, and so must every
// operation at a rank that has such a receive. Other ranks have a queue for each (receiver, sender, tag), in a hash
// table that holds only non-empty queues, each of receives or of messages, never both.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

#include <unordered_map>
#include <vector>

namespace sim::goal {

inline constexpr OpIndex no_op = UINT32_MAX;

// True if `receive` matches the message of `send`, which goes to its rank.
inline bool fits(const GoalOp& receive, const GoalOp& send) {
    return (receive.peer == any || receive.peer == send.rank) &&
           (receive.tag == any || send.tag == any || receive.tag == send.tag);
}

class Meeting {
public:
    explicit Meeting(const GoalSchedule& schedule);

    // Removes and returns the receive that matches the message of `send`; if there is none, the message waits.
    OpIndex message(OpIndex send);
    // Removes and returns the send whose message matches `receive`; if there is none, the receive waits.
    OpIndex receive(OpIndex receive);

    // All waiting operations: receives, and the sends of waiting messages, each in ascending order.
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
        OpIndex first = no_op;  // no_op: this slot is free
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
    std::vector<OpIndex> next_;  // the next operation in a waiting operation's queue
    std::vector<Queue> slots_;   // the count is a power of two, at most half used
    std::size_t used_ = 0;
    std::vector<bool> takes_any_;  // by rank
    std::unordered_map<std::uint32_t, Lists> lists_;
};

}  // namespace sim::goal
