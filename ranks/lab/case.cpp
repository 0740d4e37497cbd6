#include "ranks/lab/case.hpp"
#include "ranks/lab/record.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/given.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/error.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <filesystem>

namespace sim::lab {

namespace {

using Json = nlohmann::ordered_json;
using config::TomlEntry;

// A rank that is silent this long is hung: a lab's program does no long work of its own.
constexpr std::chrono::seconds patience{5};

Case case_from(const std::string& name, const Json& json) {
    Case read{.ranks = json.at("ranks").get<int>(),
              .costs = {},
              .given = Given(json.at("given").get<std::map<std::string, double>>()),
              .blocking_sends = json.value("blocking_sends", false)};
    for (const auto& [key, value] : config::given_of_json(json.at("costs").dump(), name + ": costs")) {
        read.costs.push_back({key, name, value});
    }
    for (const std::string& fault : json.value("faults", std::vector<std::string>{})) {
        read.faults.push_back(config::injection_of_text(name + ": faults", fault));
    }
    return read;
}

}  // namespace

double Given::operator[](std::string_view name) const {
    const auto found = numbers_.find(std::string(name));
    if (found != numbers_.end()) {
        return found->second;
    }
    std::vector<std::string> known;
    for (const auto& [each, number] : numbers_) {
        known.push_back(each);
    }
    throw ProgramError(fmt::format("this lab gives no number \"{}\"{}", name, did_you_mean(name, known)));
}

void gap(GPU& gpu, std::string_view what, const char* file, int line) {
    gpu.report(gap_report, line);
    throw ProgramError(fmt::format("{}:{}: nothing is written here yet: {}",
                                   std::filesystem::path(file).filename().string(), line, what));
}

std::int64_t Given::whole(std::string_view name) const {
    const double number = (*this)[name];
    if (number != std::floor(number) || std::abs(number) > 0x1p53) {
        throw ProgramError(fmt::format("\"{}\" is {}, no whole number", name, number));
    }
    return static_cast<std::int64_t>(number);
}

std::string to_json(const std::vector<Case>& cases) {
    Json all = Json::array();
    for (const Case& each : cases) {
        config::Given costs;
        for (const TomlEntry& entry : each.costs) {
            costs.emplace(entry.key, entry.value);
        }
        Json suffered = Json::array();
        for (const faults::Injection& fault : each.faults) {
            suffered.push_back(to_text(fault));
        }
        all.push_back({{"ranks", each.ranks},
                       {"costs", Json::parse(config::json_text(costs))},
                       {"given", each.given.numbers()},
                       {"blocking_sends", each.blocking_sends},
                       {"faults", suffered}});
    }
    return Json{{"cases", all}}.dump(1) + "\n";
}

std::vector<Case> cases_from_json(const std::string& name, const std::string& json) {
    try {
        std::vector<Case> cases;
        const Json parsed = Json::parse(json);
        for (const Json& each : parsed.at("cases")) {
            cases.push_back(case_from(name, each));
        }
        return cases;
    } catch (const nlohmann::json::exception& error) {
        throw config::UsageError(fmt::format("{}: no cases of a lab: {}", name, config::without_number(error.what())));
    }
}

ranks::LaunchOptions launch_options(const Case& played, ranks::Host host) {
    ranks::LaunchOptions options{.ranks = played.ranks, .host = host, .watchdog = patience};
    options.cluster = config::read_profile("the lab's costs", played.costs, played.ranks);
    options.cluster.blocking_sends = played.blocking_sends;
    options.faults = played.faults;
    return options;
}

}  // namespace sim::lab
