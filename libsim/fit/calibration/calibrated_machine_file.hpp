// This function writes a calibrated machine as a machine file: what it was based on, and each number that was found
// with its source and its uncertainty.
#pragma once

#include "libsim/fit/calibration/calibration.hpp"

namespace sim::fit {

// `base` is the machine that was calibrated, by name or as the file whose `base_text` this is; what was found stands in
// place of what it says. `name` is what reports call the result.
std::string calibrated_machine_file(const Calibration& calibration, const std::string& base,
                                    const std::string& base_text, const std::string& name);

}  // namespace sim::fit
