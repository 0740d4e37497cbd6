// This scaling study can make a different choice at every point: the mistakes of lab 16 are built from it.
#pragma once

#include "tools/labs/lab.hpp"

namespace sim::labs {

struct ScalingStudy {
    int first = 1;                    // number of ranks of the baseline
    int factor = 2;                   // from one number of ranks to the next
    bool shares_samples = true;       // strong scaling: each rank gets its share
    bool shares_in_weak = false;      // shares them in weak scaling as well
    bool divides_weak = false;        // divides the weak efficiency by the number of ranks
    bool divides_strong = true;       // divides the strong efficiency by the number of ranks
    bool multiplies_weak = false;     // reports a speedup as the weak efficiency
    bool from_the_beginning = false;  // times from the start of the run instead of the step
    bool upside_down = false;         // new time divided by old time
    bool all_take_part = false;       // all ranks join every all-reduce
    bool communicates = true;
    bool computes = true;
    bool computes_in_time = true;  // the clock starts before the computation
    bool leaves_out_last = false;
    double scale = 1;  // 100: percent
};

void study(GPU& gpu, const Given& given, const ScalingStudy& how);

}  // namespace sim::labs
