#include "libsim/interop/chakra/files.hpp"
#include "libsim/interop/chakra/messages.hpp"
#include "libsim/report/protobuf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace sim::chakra {

namespace {

void append_message(std::string& file, const std::string& message) {
    report::append_varint(file, message.size());
    file += message;
}

}  // namespace

std::string file_of(const RankTrace& trace, int rank) {
    std::string file;
    append_message(file, bytes_of_version(trace.version));
    if (!trace.groups.empty()) {
        std::uint64_t id = 0;
        for (const Node& node : trace.nodes) {
            id = std::max(id, node.id + 1);
        }
        append_message(file, bytes_of_groups(trace.groups, id));
    }
    for (const Node& node : trace.nodes) {
        append_message(file, bytes_of(node, rank));
    }
    return file;
}

std::vector<report::TraceFile> files_of(const std::string& prefix, const std::vector<RankTrace>& ranks) {
    std::vector<report::TraceFile> files;
    ProcessGroups groups;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const RankTrace& trace = ranks[rank];
        files.push_back({fmt::format("{}.{}.et", prefix, rank),
                         [&trace, rank](std::ostream& out) { out << file_of(trace, static_cast<int>(rank)); }});
        groups.insert(trace.groups.begin(), trace.groups.end());
    }
    if (!groups.empty()) {
        files.push_back({prefix + ".comm_group.json", [groups](std::ostream& out) { out << group_file(groups); }});
    }
    return files;
}

}  // namespace sim::chakra
