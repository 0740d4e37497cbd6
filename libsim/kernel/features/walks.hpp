// A walk executes a collective by size on shared links: the kernel follows the schedule for each member, with one walk
// per channel.
//
// A message of a walk is a flow like any other, so it competes with all other traffic and takes exactly as long as the
// same message of a program.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/group.hpp"
#include "libsim/kernel/parts/ids.hpp"
#include "libsim/units.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace sim::kernel {

// The state that the walks of one member share.
struct WalkPlan {
    Schedule schedule;
    const Group* group;
    Op op;              // the collective
    std::int64_t each;  // size of a chunk
    std::uint32_t op_number;
};

struct Walk {
    std::shared_ptr<const WalkPlan> plan;
    int rank = -1;
    int member = -1;
    int channel = 0;
    int at = -1;  // step
    bool sent = false;
    Step step = {};
    Time clock = {};
    Duration busy{0};
};

// A rank's collective in progress on one of its streams.
struct Walking {
    int channels_left = 0;
    Duration busy{0};  // of the busiest channel
    int messages = 0;  // under way, of all channels
};

class Walks {
public:
    WalkId add(Walk walk) {
        if (free_.empty()) {
            free_.push_back(static_cast<WalkId>(all_.size()));
            all_.emplace_back();
        }
        const WalkId id = free_.back();
        free_.pop_back();
        (*this)[id] = std::move(walk);
        return id;
    }
    // Valid until the next add().
    Walk& operator[](WalkId id) { return all_[static_cast<std::size_t>(id)]; }
    void drop(WalkId id) {
        (*this)[id].plan.reset();
        free_.push_back(id);
    }

private:
    std::vector<Walk> all_;
    std::vector<WalkId> free_;
};

}  // namespace sim::kernel
