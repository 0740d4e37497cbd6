// A record of the messages lost to injected faults: their count, and their sources, targets and tags.
#pragma once

#include "libsim/op.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sim::kernel {

class LostMessages {
public:
    void note(int source, const Op& send) {
        ++count_;
        if (!between(source, send.peer, send.tag)) {
            channels_.push_back({source, send.peer, send.tag});
        }
    }
    // All messages of a collective count as one.
    void note_collective() { ++count_; }

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
    std::vector<Channel> channels_;
    std::int64_t count_ = 0;
};

}  // namespace sim::kernel
