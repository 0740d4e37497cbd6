// These functions convert the messages of a trace's file, that is nodes and the header, to protobuf bytes and back.
//
// Chakra's own attributes are written as ASTRA-sim reads them: is_cpu_op as bool, whole numbers as int64, pg_name as
// string. Whole numbers of any other type are accepted as well.
#pragma once

#include "libsim/interop/chakra/trace.hpp"

#include <string>

namespace sim::chakra {

// GlobalMetadata: the version. Throws UsageError, which begins with `file`, for bytes that are not such a message.
std::string bytes_of_version(const std::string& version);
std::string version_of(const std::string& bytes, const std::string& file);

// The node that names process groups.
std::string bytes_of_groups(const ProcessGroups& groups, std::uint64_t id);

// A node of rank `rank`, whose own side of a message may be left out.
std::string bytes_of(const Node& node, int rank);

// Decodes a node and adds the process groups that it names to `groups`. Throws UsageError, which begins with `file` and
// names the node, for bytes that are not a node, and for an attribute that is missing, mistyped or out of range.
Node node_of(const std::string& bytes, int rank, const std::string& file, ProcessGroups& groups);

// Process groups as JSON, in traces and in a file beside them. Parses [{"pg_name": "0", "ranks": [0, 1]}] as in
// PyTorch's traces, possibly with other text around it. Adds to `groups`; a group without ranks contains all ranks.
// Returns false if the text defines no groups. Throws UsageError, which begins with `where`.
bool take_groups(const std::string& text, const std::string& where, ProcessGroups& groups);
std::string group_list(const ProcessGroups& groups);

// Reads ASTRA-sim's file of groups, {"0": [0, 1]}. Throws UsageError, naming the file.
ProcessGroups read_group_file(const std::string& file);
std::string group_file(const ProcessGroups& groups);

}  // namespace sim::chakra
