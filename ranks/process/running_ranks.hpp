// Running ranks are those that got a turn and have posted nothing since: they run their own code.
#pragma once

#include <vector>

namespace sim::ranks {

// An unordered set; every operation takes constant time.
class RunningRanks {
public:
    explicit RunningRanks(int ranks) : place_(static_cast<std::size_t>(ranks), none) {}

    bool contains(int rank) const { return place_of(rank) != none; }
    // Requires: !contains(rank).
    void add(int rank) {
        place_[static_cast<std::size_t>(rank)] = all_.size();
        all_.push_back(rank);
    }
    // Requires: contains(rank).
    void remove(int rank) {
        const std::size_t place = place_of(rank);
        all_[place] = all_.back();
        place_[static_cast<std::size_t>(all_[place])] = place;
        all_.pop_back();
        place_[static_cast<std::size_t>(rank)] = none;
    }
    // By index; iterate from last to first, so that the current rank may be removed.
    const std::vector<int>& all() const { return all_; }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t place_of(int rank) const { return place_[static_cast<std::size_t>(rank)]; }

    std::vector<int> all_;
    std::vector<std::size_t> place_;  // index of each rank in `all_`
};

}  // namespace sim::ranks
