// A study of scaling whose every decision can be another one: the mistakes of lab 16 are made of it.
#pragma once

#include "tools/labs/lab.hpp"

namespace sim::labs {

struct ScalingStudy {
    int first = 1;                    // so many ranks are the base
    int factor = 2;                   // from one number of ranks to the next
    bool shares_samples = true;       // strong scaling: each rank has its share
    bool shares_in_weak = false;      // weak scaling, too
    bool divides_weak = false;        // the weak efficiency by the number of ranks
    bool divides_strong = true;       // the strong efficiency by it
    bool multiplies_weak = false;     // the weak efficiency is a speedup
    bool from_the_beginning = false;  // of the run, not of the step
    bool upside_down = false;         // new time over old time
    bool all_take_part = false;       // in every all-reduce
    bool communicates = true;
    bool computes = true;
    bool computes_in_time = true;  // the clock starts before the computation
    bool leaves_out_last = false;
    double scale = 1;  // 100: percent
};

void study(GPU& gpu, const Given& given, const ScalingStudy& how);

}  // namespace sim::labs
