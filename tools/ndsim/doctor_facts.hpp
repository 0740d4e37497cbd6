// The doctor's facts are found out on this computer, now.
#pragma once

#include "tools/ndsim/doctor_checks.hpp"

namespace sim::tools {

// Launches ranks, and asks python3, c++ and cmake, which takes about a second. Call it before threads exist.
DoctorFacts doctor_facts();

}  // namespace sim::tools
