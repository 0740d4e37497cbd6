// This function writes a calibrated machine as a machine file: its base, and each number that was found, with its
// source and uncertainty.
#pragma once

#include "libsim/fit/calibration/calibration.hpp"

namespace sim::fit {

// `base` is the machine that was calibrated: a name, or the file with the text `base_text`. The numbers that were found
// replace its own. `name` is the result's name in reports.
std::string calibrated_machine_file(const Calibration& calibration, const std::string& base,
                                    const std::string& base_text, const std::string& name);

}  // namespace sim::fit
