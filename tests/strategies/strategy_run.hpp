// Runs of the scenarios' one training program, requested as on the command line.
#pragma once

#include "libsim/config/profile.hpp"
#include "scenarios/lesson/trainer/plan.hpp"
#include "scenarios/lesson/trainer/trainer.hpp"
#include "scenarios/options/options.hpp"
#include "scenarios/report/outcome.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace sim::test {

// The scenario of this name, with 1 as the default of every axis: a line states every size that it uses.
inline scenarios::Scenario scenario_named(const std::string& name) {
    scenarios::Scenario scenario{
        .name = name, .summary = "", .axes = {{"dp", 1}, {"tp", 1}, {"pp", 1}, {"ep", 1}, {"cp", 1}}};
    if (name == "1d_data_parallel") {
        scenario.axes = {{"dp", 1}};
        scenario.item_by_item = true;
    }
    return scenario;
}

// Parses `line` as typed, beginning with 1d_data_parallel or 4d_hybrid; without quotes.
inline scenarios::Options options_of(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    std::vector<const char*> argv;
    for (const std::string& word : words) {
        argv.push_back(word.c_str());
    }
    auto read = scenarios::read_options(scenario_named(words.at(0)), static_cast<int>(argv.size()), argv.data());
    auto options = std::get<scenarios::Options>(read);
    lesson::check_plan(options);
    return options;
}

// gpu-py with free messages: a unit of compute takes 0.1 s.
inline Cluster free_messages() {
    Cluster cluster = gpu_py();
    cluster.network = Uniform{.per_byte = Pace{}, .per_billionth_unit = Pace{}};
    return cluster;
}

inline ranks::Result launched(const scenarios::Options& options, ranks::Host host, const Cluster& cluster = gpu_py()) {
    const ranks::LaunchOptions launch{.ranks = options.ranks, .host = host, .cluster = cluster};
    ranks::Result result = ranks::launch(launch, [&](GPU& gpu) { lesson::train(gpu, options); });
    EXPECT_TRUE(result.ok()) << result.fault->message;
    return result;
}

// Runs on fibers.
inline scenarios::Outcome outcome_of_line(const std::string& line, const Cluster& cluster = gpu_py()) {
    const scenarios::Options options = options_of(line);
    return scenarios::outcome_of(line, options, cluster, launched(options, ranks::Host::fiber, cluster));
}

}  // namespace sim::test
