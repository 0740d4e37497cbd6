#include "libsim/interop/chakra/messages.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace sim::chakra {

namespace {

using nlohmann::json;

[[noreturn]] void refuse_groups(const std::string& where, const std::string& why) {
    throw config::UsageError(fmt::format("{}: {}", where, why));
}

std::vector<int> ranks_of(const json& list, const std::string& name, const std::string& where) {
    if (!list.is_array()) {
        refuse_groups(where, fmt::format("group \"{}\" must be a list of ranks", config::shortened(name)));
    }
    std::vector<int> ranks;
    for (const json& rank : list) {
        if (!rank.is_number_integer() || rank < 0 || rank > std::numeric_limits<int>::max()) {
            refuse_groups(where,
                          fmt::format("group \"{}\": {} is no rank", config::shortened(name),
                                      config::shortened(rank.dump(-1, ' ', true, json::error_handler_t::replace))));
        }
        ranks.push_back(rank.get<int>());
    }
    std::vector<int> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
        refuse_groups(where, fmt::format("group \"{}\" has rank {} twice", config::shortened(name), *twice));
    }
    return ranks;
}

void add_group(const std::string& name, std::vector<int> ranks, const std::string& where, ProcessGroups& groups) {
    const auto [at, is_new] = groups.try_emplace(name, ranks);
    if (!is_new && at->second != ranks) {
        refuse_groups(where, fmt::format("group \"{}\" has other ranks than before", config::shortened(name)));
    }
}

}  // namespace

bool take_groups(const std::string& text, const std::string& where, ProcessGroups& groups) {
    if (text.find("\"pg_name\"") == std::string::npos) {
        return false;
    }
    const std::size_t begin = text.find("[{");
    const std::size_t end = text.rfind("}]");
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        refuse_groups(where, "names process groups, but not as a JSON list of them");
    }
    json list;
    try {
        list = json::parse(text.substr(begin, end + 2 - begin));
    } catch (const json::exception& error) {
        refuse_groups(where, fmt::format("process groups: {}", config::without_number(error.what())));
    }
    for (const json& group : list) {
        if (!group.is_object() || !group.contains("pg_name") || !group["pg_name"].is_string()) {
            refuse_groups(where, "a process group needs a pg_name");
        }
        const std::string name = group["pg_name"];
        add_group(name, ranks_of(group.value("ranks", json::array()), name, where), where, groups);
    }
    return true;
}

std::string group_list(const ProcessGroups& groups) {
    json list = json::array();
    for (const auto& [name, ranks] : groups) {
        list.push_back({{"pg_name", name}, {"ranks", ranks}});
    }
    return list.dump(-1, ' ', true, json::error_handler_t::replace);
}

ProcessGroups read_group_file(const std::string& file) {
    ProcessGroups groups;
    json object;
    try {
        object = json::parse(config::read_json_text(file, "a JSON file of process groups"));
    } catch (const json::exception& error) {
        refuse_groups(file, config::without_number(error.what()));
    }
    if (!object.is_object()) {
        refuse_groups(file, R"(must be an object of groups, {"0": [0, 1]})");
    }
    for (const auto& [name, ranks] : object.items()) {
        add_group(name, ranks_of(ranks, name, file), file, groups);
    }
    return groups;
}

std::string group_file(const ProcessGroups& groups) {
    return json(groups).dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

}  // namespace sim::chakra
