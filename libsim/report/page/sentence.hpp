// One sentence says where the time of a run went, as a reader would say it in front of the picture.
#pragma once

#include "libsim/report/timeline.hpp"

#include <string>

namespace sim::report {

// "The GPUs compute 22.0 % of the time, communicate 30.3 % and wait for each other 47.7 %: the pipeline's fill takes
// 14.2 %, its bubbles 21.0 % and its drain 9.6 %." With an account, the largest loss instead of the last part. Empty if
// the run failed or took no time. Cost: as totals_of().
std::string sentence_of(const Timeline& timeline);

}  // namespace sim::report
