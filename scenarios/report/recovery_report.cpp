#include "scenarios/report/recovery_report.hpp"

#include "libsim/goodput/closed_forms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace sim::scenarios {

namespace {

using Json = nlohmann::ordered_json;
using sim::ranks::Life;
using sim::ranks::LostTime;

std::string counted(std::int64_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string story_of(const Life& life) {
    const std::string where =
        fmt::format("{:.3f} s to {:.3f} s, from step {}", seconds(life.begin), seconds(life.end), life.first_step + 1);
    if (!life.death) {
        return fmt::format("{} to the end", where);
    }
    const std::vector<int>& dead = life.death->places;
    const std::string who = dead.empty()       ? "the network was cut"
                            : dead.size() == 1 ? fmt::format("rank {} died", dead.front())
                                               : fmt::format("ranks {} died", fmt::join(dead, ", "));
    return fmt::format("{}; {} at {:.3f} s: {} lost", where, who, seconds(life.death->at),
                       life.lost_steps == 0
                           ? "no whole step was"
                           : counted(life.lost_steps, "step") + (life.lost_steps == 1 ? " was" : " were"));
}

std::string parts_of(const LostTime& lost) {
    std::vector<std::string> parts;
    for (const auto& [part, what] : {std::pair{lost.checkpoints, "checkpoints"}, std::pair{lost.lost_work, "lost work"},
                                     std::pair{lost.detection, "detection"}, std::pair{lost.repair, "repair"},
                                     std::pair{lost.restart, "restart"}}) {
        if (part > Duration{0}) {
            parts.push_back(fmt::format("{} {:.3f} s", what, seconds(part)));
        }
    }
    return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

// Of work between two checkpoints, in seconds.
struct Intervals {
    double step = 0;
    double own = 0;
    double young = 0;
    double daly = 0;
};

// None: nobody asked for the best, or there is none.
std::optional<Intervals> intervals_of(const Outcome& outcome) {
    const Options& options = outcome.options;
    const double cost = seconds(options.checkpoints.stall());
    if (options.between_faults <= Duration{0} || cost <= 0) {
        return std::nullopt;
    }
    const double step = ranks::effective_share(outcome.lives) * outcome.simulated_seconds() / options.steps;
    const double between = seconds(options.between_faults);
    return Intervals{.step = step,
                     .own = step * static_cast<double>(options.checkpoints.every),
                     .young = goodput::young_interval(cost, between),
                     .daly = goodput::daly_interval(cost, between)};
}

std::string text_of(const Intervals& intervals, Duration between_faults) {
    const auto steps = [&](double interval) {
        return counted(std::max<std::int64_t>(std::llround(interval / intervals.step), 1), "step");
    };
    return fmt::format(
        "a checkpoint each {:.3f} s of work; with a fault each {:.12g} s on average Young's optimum is {:.3f} "
        "s ({}), Daly's {:.3f} s ({})",
        intervals.own, seconds(between_faults), intervals.young, steps(intervals.young), intervals.daly,
        steps(intervals.daly));
}

Json report_of(const Intervals& intervals, Duration between_faults) {
    return {{"between_faults", seconds(between_faults)},
            {"own", intervals.own},
            {"young", intervals.young},
            {"daly", intervals.daly}};
}

Json report_of(const Life& life) {
    Json death = nullptr;
    if (life.death) {
        death = {{"at_seconds", seconds(life.death->at)}, {"ranks", life.death->places}};
    }
    return {{"begin_seconds", seconds(life.begin)}, {"end_seconds", seconds(life.end)},
            {"ranks", life.places.size()},          {"pids", life.pids},
            {"first_step", life.first_step},        {"steps", life.steps},
            {"lost_steps", life.lost_steps},        {"death", death}};
}

}  // namespace

bool has_recovery(const Outcome& outcome) {
    return outcome.options.checkpoints.every > 0 || outcome.lives.size() > 1;
}

std::vector<std::pair<std::string, std::string>> recovery_lines(const Outcome& outcome) {
    std::vector<std::pair<std::string, std::string>> lines;
    if (!has_recovery(outcome)) {
        return lines;
    }
    if (outcome.lives.size() > 1) {
        const char* name = "lives";
        for (const Life& life : outcome.lives) {
            lines.emplace_back(std::exchange(name, ""), story_of(life));
        }
    }
    lines.emplace_back("effective",
                       fmt::format("{:.1f} % of the time went into steps that count; the rest: {}",
                                   100 * ranks::effective_share(outcome.lives), parts_of(lost_time(outcome.lives))));
    if (const auto intervals = intervals_of(outcome)) {
        lines.emplace_back("interval", text_of(*intervals, outcome.options.between_faults));
    }
    return lines;
}

Json recovery_report(const Outcome& outcome) {
    if (!has_recovery(outcome)) {
        return nullptr;
    }
    Json lives = Json::array();
    for (const Life& life : outcome.lives) {
        lives.push_back(report_of(life));
    }
    const auto intervals = intervals_of(outcome);
    const LostTime lost = lost_time(outcome.lives);
    const parallel::Checkpointing& checkpoints = outcome.options.checkpoints;
    return {{"on_fault", ranks::row_of(outcome.options.recovery.on_fault).name},
            {"checkpoint_every", checkpoints.every},
            {"asynchronous", checkpoints.asynchronous},
            {"stall_seconds", seconds(checkpoints.stall())},
            {"write_seconds", seconds(checkpoints.write)},
            {"lives", lives},
            {"lost_seconds",
             {{"checkpoints", seconds(lost.checkpoints)},
              {"lost_work", seconds(lost.lost_work)},
              {"detection", seconds(lost.detection)},
              {"repair", seconds(lost.repair)},
              {"restart", seconds(lost.restart)}}},
            {"effective_share", ranks::effective_share(outcome.lives)},
            {"interval_seconds", intervals ? report_of(*intervals, outcome.options.between_faults) : Json()}};
}

}  // namespace sim::scenarios
