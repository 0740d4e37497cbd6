#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/interop/chakra/files.hpp"
#include "libsim/interop/chakra/messages.hpp"
#include "libsim/interop/chakra/trace.hpp"
#include "libsim/interop/trace_files/gzip_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_set>

namespace sim::chakra {

namespace {

constexpr std::size_t longest_message = std::size_t{64} << 20U;
constexpr int most_traces = 100'000;

// Reads the messages of a file in sequence.
class MessageInput {
public:
    MessageInput(std::streambuf& input, const std::string& file) : input_(&input), file_(file) {}

    // Returns false at the end of the file.
    bool next(std::string& message) {
        const std::optional<std::uint64_t> length = take_length();
        if (!length) {
            return false;
        }
        if (*length > longest_message) {
            refuse(fmt::format(
                "is not a Chakra execution trace, or broken: a message of {} bytes exceeds the {} MiB limit", *length,
                longest_message >> 20U));
        }
        message.clear();
        // Never allocates more memory than there is content.
        constexpr std::size_t at_once = std::size_t{1} << 16U;
        while (message.size() < *length) {
            const std::size_t wanted = std::min<std::size_t>(at_once, *length - message.size());
            const std::size_t before = message.size();
            message.resize(before + wanted);
            const std::streamsize got = input_->sgetn(message.data() + before, static_cast<std::streamsize>(wanted));
            if (static_cast<std::size_t>(got) != wanted) {
                refuse_end();
            }
        }
        return true;
    }

    [[noreturn]] void refuse(const std::string& why) const {
        throw config::UsageError(fmt::format("{}: {}", file_, why));
    }

private:
    std::optional<std::uint64_t> take_length() {
        std::uint64_t length = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const int byte = input_->sbumpc();
            if (byte == std::char_traits<char>::eof()) {
                if (shift > 0) {
                    refuse_end();
                }
                return std::nullopt;
            }
            length |= (static_cast<std::uint64_t>(byte) & 0x7fU) << shift;
            if ((byte & 0x80) == 0) {
                return length;
            }
        }
        refuse("is not a Chakra execution trace: the length of a message is invalid");
    }
    [[noreturn]] void refuse_end() const { refuse("is cut off: its last message is incomplete"); }

    std::streambuf* input_;
    std::string file_;
};

// Metadata is kept only if a node depends on it, or if it is a wait or mark of ndsim.
void drop_idle_metadata(std::vector<Node>& nodes) {
    std::unordered_set<std::uint64_t> wanted;
    for (const Node& node : nodes) {
        wanted.insert(node.ctrl_deps.begin(), node.ctrl_deps.end());
        wanted.insert(node.data_deps.begin(), node.data_deps.end());
    }
    std::erase_if(nodes, [&](const Node& node) {
        return node.kind == NodeKind::metadata && !node.stream && !wanted.contains(node.id);
    });
}

std::string name_in_folder(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// Splits "step.3.et" or "step.3.et.gz" into "step" and 3.
struct RankFile {
    std::string prefix;
    int rank = 0;
};

std::optional<RankFile> rank_file(std::string_view name) {
    for (const std::string_view suffix : {".gz", ".et"}) {
        if (name.ends_with(suffix)) {
            name.remove_suffix(suffix.size());
        } else if (suffix == ".et") {
            return std::nullopt;
        }
    }
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot + 1 == name.size()) {
        return std::nullopt;
    }
    RankFile found{.prefix = std::string(name.substr(0, dot))};
    const char* const end = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data() + dot + 1, end, found.rank);
    return error == std::errc() && at == end && found.rank >= 0 ? std::optional(found) : std::nullopt;
}

// The files of one prefix in `folder`, by rank; without a prefix, those of the only one found.
std::vector<std::string> files_of(const std::string& folder, std::optional<std::string> prefix,
                                  const std::string& path) {
    const bool is_given = prefix.has_value();
    std::map<int, std::string> by_rank;
    for (const std::string& file : config::files_in(folder)) {
        const auto found = rank_file(name_in_folder(file));
        if (!found || (is_given && found->prefix != *prefix)) {
            continue;
        }
        if (prefix.value_or(found->prefix) != found->prefix) {
            throw config::UsageError(fmt::format("{}: has files of {}.RANK.et and {}.RANK.et; name one of them", path,
                                                 *prefix, found->prefix));
        }
        prefix = found->prefix;
        if (!by_rank.emplace(found->rank, file).second) {
            throw config::UsageError(fmt::format("{} and {} are both of rank {}; keep one of them",
                                                 by_rank[found->rank], file, found->rank));
        }
    }
    if (by_rank.empty()) {
        throw config::UsageError(
            fmt::format("{0}: there are no files {1}.0.et, {1}.1.et, …", path, prefix.value_or("PREFIX")));
    }
    const int last = by_rank.rbegin()->first;
    if (last >= most_traces) {
        throw config::UsageError(
            fmt::format("{}: is of rank {}; ranks are 0 to {}", by_rank[last], last, most_traces - 1));
    }
    std::vector<std::string> files;
    for (const auto& [rank, file] : by_rank) {
        if (rank != std::ssize(files)) {
            throw config::UsageError(fmt::format("{}: {}.{}.et is missing, though there is one of rank {}", path,
                                                 *prefix, files.size(), last));
        }
        files.push_back(file);
    }
    return files;
}

}  // namespace

RankTrace read_rank(std::streambuf& from, int rank, const std::string& file) {
    MessageInput input(from, file);
    std::string message;
    if (!input.next(message)) {
        input.refuse("is empty");
    }
    RankTrace trace{.version = version_of(message, file)};
    while (input.next(message)) {
        trace.nodes.push_back(node_of(message, rank, file, trace.groups));
    }
    if (trace.nodes.empty()) {
        input.refuse("has no nodes");
    }
    std::stable_sort(trace.nodes.begin(), trace.nodes.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
    drop_idle_metadata(trace.nodes);
    graph_of(trace, file);
    return trace;
}

Traces read(const std::string& path) {
    Traces traces;
    if (config::is_folder(path)) {
        traces.files = files_of(path, std::nullopt, path);
    } else {
        const std::size_t slash = path.rfind('/');
        const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        traces.files = files_of(folder, name_in_folder(path), path);
    }
    for (const std::string& file : traces.files) {
        trace_files::GzipInput input(file);
        traces.ranks.push_back(read_rank(input, static_cast<int>(traces.ranks.size()), file));
    }
    return traces;
}

}  // namespace sim::chakra
