// The number of repetitions of a test: few in the suite, many under tools/soak.sh.
#pragma once

#include <cstdlib>

namespace sim::test {

inline int times(int in_suite, int in_soak) {
    return std::getenv("NDSIM_SOAK") == nullptr ? in_suite : in_soak;
}

}  // namespace sim::test
