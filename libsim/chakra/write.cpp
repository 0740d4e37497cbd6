#include "libsim/chakra/files.hpp"
#include "libsim/chakra/messages.hpp"
#include "libsim/chakra/process_groups.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/report/protobuf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace sim::chakra {

namespace {

void append_message(std::string& file, const std::string& message) {
    report::append_varint(file, message.size());
    file += message;
}

void write_whole(const std::string& name, const std::string& content) {
    std::ofstream out(name, std::ios::binary | std::ios::trunc);
    out << content;
    out.close();
    if (!out) {
        throw config::OutputError(fmt::format("{}: cannot be written: {}", name, std::strerror(errno)));
    }
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

void write(const std::string& prefix, const std::vector<RankTrace>& ranks) {
    ProcessGroups groups;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        write_whole(fmt::format("{}.{}.et", prefix, rank), file_of(ranks[rank], static_cast<int>(rank)));
        groups.insert(ranks[rank].groups.begin(), ranks[rank].groups.end());
    }
    if (!groups.empty()) {
        write_whole(prefix + ".comm_group.json", group_file(groups));
    }
}

}  // namespace sim::chakra
