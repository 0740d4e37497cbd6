// The messages of a trace's file: a node, or what stands before all nodes, as protobuf's bytes and back.
//
// Chakra's own attributes are written as ASTRA-sim reads them: is_cpu_op as bool, whole numbers as int64, pg_name as
// string. Whole numbers of any other type are read, too.
#pragma once

#include "libsim/interop/chakra/trace.hpp"

#include <string>

namespace sim::chakra {

// GlobalMetadata: the version. Throws UsageError, which begins with `file`, for bytes that are no such message.
std::string bytes_of_version(const std::string& version);
std::string version_of(const std::string& bytes, const std::string& file);

// The node that names process groups.
std::string bytes_of_groups(const ProcessGroups& groups, std::uint64_t id);

// A node of rank `rank`, whose own side of a message may be left out.
std::string bytes_of(const Node& node, int rank);

// A node, or the process groups that it names, which are added to `groups`. Throws UsageError, which begins with `file`
// and names the node: bytes that are no node, an attribute that is missing, of another type or out of range.
Node node_of(const std::string& bytes, int rank, const std::string& file, ProcessGroups& groups);

}  // namespace sim::chakra
