// What was sent to one member of a collective and not received yet, in the order sent. Few at a time.
#pragma once

#include "libsim/check.hpp"
#include "libsim/units.hpp"

#include <algorithm>
#include <vector>

namespace sim {

class Mailbox {
public:
    void put(int from, Time at) { waiting_.push_back({from, at}); }
    // When the oldest message from `from` is there. Requires: there is one.
    Time take(int from) {
        const auto found =
            std::find_if(waiting_.begin(), waiting_.end(), [from](const Sent& sent) { return sent.from == from; });
        check(found != waiting_.end(), "a member of a collective receives what {} has not sent", from);
        const Time at = found->at;
        waiting_.erase(found);
        return at;
    }

private:
    struct Sent {
        int from;
        Time at;
    };
    std::vector<Sent> waiting_;
};

}  // namespace sim
