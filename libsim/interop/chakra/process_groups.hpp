// Process groups are defined in traces, and in a file beside them, as JSON.
#pragma once

#include "libsim/interop/chakra/trace.hpp"

#include <string>

namespace sim::chakra {

// Parses [{"pg_name": "0", "ranks": [0, 1]}] as in PyTorch's traces, possibly with other text around it. Adds to
// `groups`; a group without ranks contains all ranks. Returns false if the text defines no groups. Throws UsageError,
// which begins with `where`.
bool take_groups(const std::string& text, const std::string& where, ProcessGroups& groups);
std::string group_list(const ProcessGroups& groups);

// Reads ASTRA-sim's file of groups, {"0": [0, 1]}. Throws UsageError, naming the file.
ProcessGroups read_group_file(const std::string& file);
std::string group_file(const ProcessGroups& groups);

}  // namespace sim::chakra
