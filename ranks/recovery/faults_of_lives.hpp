// FaultsOfLives assigns the faults of a run to its lives: the faults that each life has, and those that may end it.
//
// A fault names places, the numbers that ranks have in the first life. A death, or a network card that drops out, is
// over with the life that contains its time, or with the time after that life: then the broken part is repaired or
// replaced.
#pragma once

#include "libsim/faults/injection.hpp"
#include "libsim/network/network.hpp"

#include <vector>

namespace sim::ranks {

// An event that may end a life.
struct FatalEvent {
    Time at;
    int rank = 0;      // -1: a network card that belongs to no single rank
    bool dies = true;  // otherwise its network card drops out
};

class FaultsOfLives {
public:
    FaultsOfLives(const std::vector<faults::Injection>& faults, int places, const Network& network);

    // The LaunchOptions::faults of a life whose ranks are in these places. Deaths before `over` are over.
    std::vector<faults::Injection> of_life(Time over, const std::vector<int>& places) const;
    // The faults of a life that may end it, in time order.
    std::vector<FatalEvent> fatal_events(const std::vector<faults::Injection>& of_life) const;

private:
    std::vector<faults::Injection> faults_;  // a node's death is listed as its ranks' deaths
    bool links_are_shared_;                  // faults of links then name vertices of the topology instead of ranks
};

}  // namespace sim::ranks
