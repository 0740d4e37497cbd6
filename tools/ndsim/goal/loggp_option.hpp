// --loggp L=1000,o=200,g=5,G=1,O=0,S=1024 gives the costs of LogGP, in units of a schedule's time.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/network/loggp.hpp"

#include <string>

namespace sim::tools {

// Sets what is named, and leaves the rest. L, o, g and S are whole numbers; G and O decimal fractions too, which are
// exact. Throws UsageError, naming what is wrong with what is nearest to it.
void read_loggp(const std::string& text, LogGP& costs);

config::OptionRow loggp_row(LogGP& costs);

// "L=1000,o=200,g=5,G=1,O=0,S=1024"
std::string describe(const LogGP& costs);

}  // namespace sim::tools
