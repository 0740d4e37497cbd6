// Losses are the messages that an injected fault loses: they are sent and never arrive.
//
// A sender that need not wait for its message goes on as if it had arrived; one that must wait, waits forever. So does
// a receiver that waits for the message.
// (1) Whether a message is lost depends on its two ends and its begin alone, so every order of replay loses the same.
// (2) All messages of a collective count as one.
// Cost: nothing without such a fault.
#pragma once

#include "libsim/faults/conditions.hpp"
#include "libsim/group.hpp"
#include "libsim/op.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sim::kernel {

class Losses {
public:
    // `conditions` must outlive this object.
    explicit Losses(const faults::Conditions& conditions) : conditions_(&conditions) {}

    // Whether any fault of this run can lose a message.
    bool possible() const { return conditions_->lose_messages(); }
    // Whether a message that `source` begins to send at `begin` is lost, or a collective whose last member came at
    // `begin`. A lost one is counted.
    bool lose(int source, const Op& send, Time begin) {
        return possible() && conditions_->loses(source, send.peer, begin) && counted(source, send);
    }
    bool lose(const Group& members, Time begin) {
        const bool is_lost = possible() && conditions_->loses(members, begin);
        count_ += is_lost ? 1 : 0;
        return is_lost;
    }

    std::int64_t count() const { return count_; }
    // True if a message from `source` to `target` with this tag was lost.
    bool between(int source, int target, std::int32_t tag) const {
        return std::any_of(channels_.begin(), channels_.end(), [&](const Channel& lost) {
            return lost.source == source && lost.target == target && lost.tag == tag;
        });
    }

private:
    struct Channel {
        int source;
        int target;
        std::int32_t tag;
    };

    bool counted(int source, const Op& send) {
        ++count_;
        if (!between(source, send.peer, send.tag)) {
            channels_.push_back({source, send.peer, send.tag});
        }
        return true;
    }

    const faults::Conditions* conditions_;
    std::vector<Channel> channels_;
    std::int64_t count_ = 0;
};

}  // namespace sim::kernel
