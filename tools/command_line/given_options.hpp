// This function reads the options of an executable from its command line and --config.
#pragma once

#include "tools/command_line/settings.hpp"

namespace sim::command_line {

// Sets what `rows` refer to. False: --help or --version was given, and has been printed.
bool take_options(const Executable& executable, const std::vector<config::OptionRow>& rows, int argc,
                  const char* const* argv);

}  // namespace sim::command_line
