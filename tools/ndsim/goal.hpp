// `ndsim goal FILE`: runs a GOAL schedule under LogGP, as LogGOPSim does (libsim/goal/run.hpp).
#pragma once

namespace sim::scenarios {

int run_goal(int argc, const char* const* argv);

}  // namespace sim::scenarios
