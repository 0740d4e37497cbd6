#include "scenarios/report/reports.hpp"

#include "libsim/faults/checkpoint_intervals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace sim::scenarios {

using namespace report;
using namespace report::keys;

namespace {

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

// Intervals of work between two checkpoints, in seconds.
struct Intervals {
    double between_faults = 0;
    double step = 0;
    double own = 0;
    double young = 0;
    double daly = 0;
};

// Empty: the best interval was not requested, or there is none.
std::optional<Intervals> intervals_of(const Outcome& outcome) {
    const Options& options = outcome.options;
    const double cost = seconds(options.checkpoints.stall());
    if (options.between_faults <= Duration{0} || cost <= 0) {
        return std::nullopt;
    }
    const double step = ranks::effective_share(outcome.lives) * outcome.simulated_seconds() / options.steps;
    const double between = seconds(options.between_faults);
    return Intervals{.between_faults = between,
                     .step = step,
                     .own = step * static_cast<double>(options.checkpoints.every),
                     .young = faults::young_interval(cost, between),
                     .daly = faults::daly_interval(cost, between)};
}

std::string text_of(const Intervals& intervals) {
    const auto steps = [&](double interval) {
        return counted(std::max<std::int64_t>(std::llround(interval / intervals.step), 1), "step");
    };
    return fmt::format(
        "a checkpoint every {:.3f} s of work; with a fault every {:.12g} s on average Young's optimum is {:.3f} "
        "s ({}), Daly's {:.3f} s ({})",
        intervals.own, intervals.between_faults, intervals.young, steps(intervals.young), intervals.daly,
        steps(intervals.daly));
}

const Record<Intervals>& intervals_record() {
    static const Record<Intervals> record(
        "Seconds of work between two checkpoints.",
        {number<Intervals>("between_faults", "Mean seconds between two faults of the run, as --mtbf says.",
                           &Intervals::between_faults),
         number<Intervals>("own", "In this run.", &Intervals::own),
         number<Intervals>("young", "Young's optimum.", &Intervals::young),
         number<Intervals>("daly", "Daly's optimum.", &Intervals::daly)});
    return record;
}

const Record<sim::ranks::Death>& death_record() {
    using sim::ranks::Death;
    static const Record<Death> record(
        "The death that ended a life.",
        {number<Death>("at_seconds", "Simulated seconds at which the first rank died.",
                       [](const Death& of) { return seconds(of.at); }),
         values_of<Death>("ranks",
                          "The ranks that had died when it was detected; empty if a network card cut the run off.",
                          "integer", "Number of a rank in the first life.", &Death::places)});
    return record;
}

const Record<Life>& life_record() {
    static const Record<Life> record(
        "A life.",
        {number<Life>("begin_seconds", "Simulated seconds at which its ranks began.",
                      [](const Life& of) { return seconds(of.begin); }),
         number<Life>("end_seconds",
                      "Simulated seconds at which the run ended, or the death was detected and all ranks were ended.",
                      [](const Life& of) { return seconds(of.end); }),
         whole<Life>("ranks", "Number of its ranks.", [](const Life& of) { return of.places.size(); }),
         values_of<Life>("pids", "Their processes.", "integer", "A process.", &Life::pids),
         whole<Life>("first_step", "Steps that were done before it.", &Life::first_step),
         whole<Life>("steps", "Steps that were done at its end, or when a rank died, the first ones included.",
                     &Life::steps),
         whole<Life>("lost_steps", "Of these, those after the last complete checkpoint.", &Life::lost_steps),
         part_or_null<Life>("death", "The death that ended it; null: it ended with the training.", death_record(),
                            &Life::death)});
    return record;
}

const Record<LostTime>& lost_record() {
    const auto lost = [](const char* key, const char* description, Duration LostTime::*cause) {
        return number<LostTime>(key, description, [cause](const LostTime& of) { return seconds(of.*cause); });
    };
    static const Record<LostTime> record(
        "Simulated seconds that went into no step that counts, by cause.",
        {lost("checkpoints", "Standing still for checkpoints.", &LostTime::checkpoints),
         lost("lost_work", "Work after the checkpoint from which the next life began.", &LostTime::lost_work),
         lost("detection", "From a death until its detection.", &LostTime::detection),
         lost("repair", "Until the dead parts worked again.", &LostTime::repair),
         lost("restart", "Until all ranks were back.", &LostTime::restart)});
    return record;
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
        lines.emplace_back("interval", text_of(*intervals));
    }
    return lines;
}

const Record<Outcome>& recovery_record() {
    static const Record<Outcome> record(
        "Cost of checkpoints and faults.",
        {one_of<Outcome>("on_fault", {"abort", "restart", "spare", "elastic"}, "Reaction to a death.",
                         [](const Outcome& of) { return ranks::row_of(of.options.recovery.on_fault).name; }),
         whole<Outcome>("checkpoint_every", "Steps between two checkpoints; 0: there are none.",
                        [](const Outcome& of) { return of.options.checkpoints.every; }),
         truth<Outcome>("asynchronous", "Whether checkpoints are written beside the training.",
                        [](const Outcome& of) { return of.options.checkpoints.asynchronous; }),
         number<Outcome>("stall_seconds", "Simulated seconds that the training stands still for each checkpoint.",
                         [](const Outcome& of) { return seconds(of.options.checkpoints.stall()); }),
         number<Outcome>("write_seconds", "Simulated seconds until a checkpoint is written.",
                         [](const Outcome& of) { return seconds(of.options.checkpoints.write); }),
         list_of<Outcome>("lives",
                          "The lives of the run, one after the other: each after the first begins after a fault, from "
                          "a checkpoint.",
                          life_record(), &Outcome::lives),
         part<Outcome>("lost_seconds", lost_record(), [](const Outcome& of) { return lost_time(of.lives); }),
         number<Outcome>("effective_share", "Share of the simulated time spent on steps that count.",
                         [](const Outcome& of) { return ranks::effective_share(of.lives); }),
         part_or_null<Outcome>(
             "interval_seconds",
             "Seconds of work between two checkpoints; null without --mtbf, or if a checkpoint costs nothing.",
             intervals_record(), intervals_of)});
    return record;
}

}  // namespace sim::scenarios
