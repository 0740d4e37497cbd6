#include "tools/command_line/program_facts.hpp"

#include "tools/command_line/command_line.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace sim::command_line {

namespace {

using FactsJson = nlohmann::ordered_json;

// In the order of the enumerators.
constexpr std::array<const char*, 4> role_names{"option", "argument", "optional argument", "more arguments"};
constexpr std::array<const char*, 3> path_names{"none", "file", "folder"};

template <class Enum, std::size_t n>
Enum enumerator_named(const std::array<const char*, n>& names, const std::string& name) {
    return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::string heading_of(const OptionFacts& option) {
    return option.role != config::Role::option ? "Arguments" : option.group.empty() ? "Options" : option.group;
}

FactsJson json_of_option(const OptionFacts& option) {
    return {{"name", option.name},
            {"role", role_names.at(static_cast<std::size_t>(option.role))},
            {"takes", option.takes},
            {"help", option.help},
            {"also", option.also},
            {"values", option.known.names},
            {"path", path_names.at(static_cast<std::size_t>(option.known.path))},
            {"group", heading_of(option)}};
}

OptionFacts option_of_json(const FactsJson& json) {
    using Names = std::vector<std::string>;
    return {.name = json.at("name").get<std::string>(),
            .takes = json.at("takes").get<std::string>(),
            .help = json.at("help").get<std::string>(),
            .role = enumerator_named<config::Role>(role_names, json.at("role").get<std::string>()),
            .also = json.at("also").get<Names>(),
            .known = {.names = json.at("values").get<Names>(),
                      .path = enumerator_named<config::Known::Path>(path_names, json.at("path").get<std::string>())},
            .group = json.at("group").get<std::string>()};
}

}  // namespace

OptionFacts help_option() {
    return {.name = "help",
            .takes = "",
            .help =
                "print this and exit; --help columns: every key and column of the output; --help man: as a manual "
                "page; --help options: as JSON",
            .also = {"h"},
            .known = {.names = {"columns", "man", "options"}},
            .group = config::GroupName::general};
}
OptionFacts version_option() {
    return {.name = "version", .takes = "", .help = "print the version and exit", .group = config::GroupName::general};
}
OptionFacts config_option() {
    return {.name = "config",
            .takes = "FILE.toml",
            .help = "NAME = VALUE of the same options; the command line wins",
            .known = {.path = config::Known::Path::file},
            .group = config::GroupName::general};
}

std::string argument_text(const std::string& name, config::Role role) {
    return role == config::Role::argument            ? name
           : role == config::Role::optional_argument ? fmt::format("[{}]", name)
                                                     : fmt::format("[{} …]", name);
}

std::string ProgramFacts::usage() const {
    std::string line = name + (commands.empty() ? " [OPTIONS]" : " COMMAND [OPTIONS] …");
    for (const OptionFacts& option : options) {
        if (option.role != config::Role::option) {
            line += " " + argument_text(option.name, option.role);
        }
    }
    return line;
}

std::vector<OptionGroup> groups_of(const ProgramFacts& facts) {
    std::vector<OptionGroup> groups;
    for (const OptionFacts& option : facts.options) {
        const std::string heading = heading_of(option);
        const auto is_it = [&](const OptionGroup& group) { return group.heading == heading; };
        auto at = std::find_if(groups.begin(), groups.end(), is_it);
        if (at == groups.end()) {
            at = groups.insert(at, {heading, {}});
        }
        at->options.push_back(option);
    }
    const auto is_argument = [](const OptionGroup& group) {
        return group.options.front().role != config::Role::option;
    };
    const auto is_special = [](const OptionGroup& group) { return group.heading != config::GroupName::general; };
    std::stable_partition(groups.begin(), groups.end(), is_special);
    std::stable_partition(groups.begin(), groups.end(), is_argument);
    return groups;
}

ProgramFacts facts_of(const Executable& executable, const std::vector<config::OptionRow>& rows) {
    ProgramFacts facts{.name = executable.name,
                       .summary = executable.summary,
                       .options = {help_option(), version_option()},
                       .examples = executable.examples};
    for (const config::OptionRow& row : rows) {
        facts.options.push_back({.name = row.name,
                                 .takes = row.takes,
                                 .help = row.help,
                                 .role = row.role,
                                 .also = row.also,
                                 .known = config::known_values(row),
                                 .group = row.group});
    }
    facts.options.push_back(config_option());
    return facts;
}

std::string json_of(const ProgramFacts& facts) {
    FactsJson commands = FactsJson::array();
    for (const CommandFacts& command : facts.commands) {
        commands.push_back({{"name", command.name}, {"summary", command.summary}});
    }
    FactsJson options = FactsJson::array();
    for (const OptionFacts& option : facts.options) {
        options.push_back(json_of_option(option));
    }
    const FactsJson json{{"program", facts.name}, {"summary", facts.summary}, {"usage", facts.usage()},
                         {"commands", commands},  {"options", options},       {"examples", facts.examples}};
    return json.dump() + "\n";
}

ProgramFacts facts_of_json(const std::string& text) {
    const FactsJson json = FactsJson::parse(text);
    ProgramFacts facts{.name = json.at("program").get<std::string>(),
                       .summary = json.at("summary").get<std::string>(),
                       .examples = json.at("examples").get<std::vector<std::string>>()};
    for (const FactsJson& command : json.at("commands")) {
        facts.commands.push_back({command.at("name").get<std::string>(), command.at("summary").get<std::string>()});
    }
    for (const FactsJson& option : json.at("options")) {
        facts.options.push_back(option_of_json(option));
    }
    return facts;
}

}  // namespace sim::command_line
