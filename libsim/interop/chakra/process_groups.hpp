// Process groups are named in traces, and in a file beside them, as JSON.
#pragma once

#include "libsim/interop/chakra/trace.hpp"

#include <string>

namespace sim::chakra {

// [{"pg_name": "0", "ranks": [0, 1]}]: what PyTorch's traces hold, with other text before and behind it perhaps. Adds
// to `groups`; a group without ranks is that of all. False where the text names no groups. Throws UsageError, which
// begins with `where`.
bool take_groups(const std::string& text, const std::string& where, ProcessGroups& groups);
std::string group_list(const ProcessGroups& groups);

// {"0": [0, 1]}: ASTRA-sim's file of groups. Throws UsageError, naming the file.
ProcessGroups read_group_file(const std::string& file);
std::string group_file(const ProcessGroups& groups);

}  // namespace sim::chakra
