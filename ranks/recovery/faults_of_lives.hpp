// The faults of a run with several lives: which of them each life is to suffer, and which of them may end it.
//
// A fault names places, the numbers that ranks have in the first life. A death, and a network card that drops out, are
// over with the life in which their time lies, or with the time after it: then what was broken is repaired or replaced.
#pragma once

#include "libsim/faults/injection.hpp"
#include "libsim/network/network.hpp"

#include <vector>

namespace sim::ranks {

// What may end a life: from that time on this rank of it is dead or cannot talk; -1: no single rank's card.
struct Doom {
    Time at;
    int rank = 0;
    bool dies = true;  // or its network card drops out
};

class FaultsOfLives {
public:
    FaultsOfLives(const std::vector<faults::Injection>& faults, int places, const Network& network);

    // As LaunchOptions::faults of a life whose ranks are in these places. Deaths before `over` are over.
    std::vector<faults::Injection> of_life(Time over, const std::vector<int>& places) const;
    // Of such faults those that may end the life, in the order of time.
    std::vector<Doom> dooms(const std::vector<faults::Injection>& of_life) const;

private:
    std::vector<faults::Injection> faults_;  // a node's death is that of its ranks
    bool links_are_shared_;                  // then faults of links name vertices of the topology, and not ranks
};

}  // namespace sim::ranks
