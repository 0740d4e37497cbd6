// ndsim plan: which layout of a training is the fastest, or the cheapest, on so many GPUs; all legal ones are looked
// at.
#pragma once

namespace sim::scenarios {

// Exit code 1: no layout fits; the nearest ones are named.
int run_plan(int argc, const char* const* argv);

}  // namespace sim::scenarios
