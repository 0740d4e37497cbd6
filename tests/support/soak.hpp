// How often a test repeats itself: a short version in the suite, a long one under tools/soak.sh.
#pragma once

#include <cstdlib>

namespace sim::test {

inline int times(int in_suite, int in_soak) {
    return std::getenv("NDSIM_SOAK") == nullptr ? in_suite : in_soak;
}

}  // namespace sim::test
