// The option --loggp L=1000,o=200,g=5,G=1,O=0,S=1024 sets the costs of LogGP, in units of a schedule's time.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/network/loggp.hpp"

#include <string>

namespace sim::tools {

// Sets the named costs and keeps the others. L, o, g and S are whole numbers; G and O may be decimal fractions, which
// are kept exactly. Throws UsageError, which names the wrong part.
void read_loggp(const std::string& text, LogGP& costs);

config::OptionRow loggp_row(LogGP& costs);

// "L=1000,o=200,g=5,G=1,O=0,S=1024"
std::string describe(const LogGP& costs);

}  // namespace sim::tools
