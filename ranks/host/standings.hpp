// This class collects the standings of a run at requested times; it keeps no more checkpoints than they need.
#pragma once

#include "libsim/kernel/kernel.hpp"
#include "ranks/standing.hpp"

#include <map>
#include <vector>

namespace sim::ranks {

class Standings {
public:
    // `times` are ascending, without duplicates.
    Standings(int ranks, std::vector<Time> times);

    // Whether the state of this checkpoint may be needed.
    bool wants(const kernel::StepsDone& reported) const;
    // `state`: that of a wanted checkpoint; otherwise empty.
    void add(const kernel::StepsDone& reported, std::vector<std::byte> state);
    // In time order.
    std::vector<Standing> take() const;

private:
    struct Parts {
        std::shared_ptr<Checkpoint> checkpoint = std::make_shared<Checkpoint>();
        std::vector<bool> here;  // by rank
        int count = 0;
        Duration stalled_before{0};  // rank 0
    };
    struct At {
        std::vector<std::int64_t> steps;  // by rank: the most steps reported between the previous time and this one;
                                          // empty: none
        Duration stalls_ended{0};         // rank 0: stalls that end between the previous time and this one
        Duration stall_under_way{0};      // rank 0: the part before this time of a stall that ends later
    };

    void add_steps(const kernel::StepsDone& reported);
    void add_state(const kernel::StepsDone& reported, std::vector<std::byte> state);
    std::size_t first_from(Time time) const;
    bool is_needed(const Checkpoint& checkpoint, Time until) const;
    void forget_older();

    int ranks_;
    std::vector<Time> times_;
    std::vector<At> at_;                   // by time
    std::map<std::int64_t, Parts> parts_;  // by steps
    Duration stalled_{0};                  // rank 0, so far
};

}  // namespace sim::ranks
