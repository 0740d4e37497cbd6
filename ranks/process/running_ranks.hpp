// The running ranks are those whose turn was handed out and who have posted nothing more: they run their own code.
#pragma once

#include <vector>

namespace sim::ranks {

// A set with an order of no meaning; every step takes constant time.
class RunningRanks {
public:
    explicit RunningRanks(int ranks) : place_(static_cast<std::size_t>(ranks), none) {}

    bool contains(int rank) const { return place_of(rank) != none; }
    // Requires: contains() says no.
    void add(int rank) {
        place_[static_cast<std::size_t>(rank)] = all_.size();
        all_.push_back(rank);
    }
    // Requires: contains().
    void remove(int rank) {
        const std::size_t place = place_of(rank);
        all_[place] = all_.back();
        place_[static_cast<std::size_t>(all_[place])] = place;
        all_.pop_back();
        place_[static_cast<std::size_t>(rank)] = none;
    }
    // By place: from the last to the first, while the one that is looked at may be removed.
    const std::vector<int>& all() const { return all_; }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t place_of(int rank) const { return place_[static_cast<std::size_t>(rank)]; }

    std::vector<int> all_;
    std::vector<std::size_t> place_;  // of each rank in `all_`
};

}  // namespace sim::ranks
