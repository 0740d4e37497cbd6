#include "tools/ndsim/goal/options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/interop/goal/text.hpp"
#include "libsim/network/network.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/replay/recording.hpp"

#include <fmt/format.h>

#include <array>

namespace sim::tools {

using namespace config;

namespace {

struct TimeUnit {
    const char* name;
    std::int64_t picoseconds;
};
constexpr std::array time_units{TimeUnit{"ps", 1}, TimeUnit{"ns", 1'000}, TimeUnit{"us", 1'000'000}};

OptionRow unit_row(goal::GoalUnits& units) {
    std::vector<std::string> names;
    for (const TimeUnit& unit : time_units) {
        names.emplace_back(unit.name);
    }
    return {"unit", "NAME", "unit of the schedule's times, with --profile or --topology: ps, ns or us (ps)",
            Choice{names, [&units](std::size_t i) { units.time = Duration{time_units[i].picoseconds}; }}};
}

OptionRow sizes_row(goal::GoalUnits& units) {
    return {"sizes", "NAME",
            "unit of the schedule's sizes, with --profile: bytes, or units, of which a byte is a billionth (bytes)",
            Choice{{"bytes", "units"},
                   [&units](std::size_t i) { units.sizes = i == 0 ? Measure::bytes : Measure::units; }}};
}

[[noreturn]] void refuse(const GoalFile& file, const goal::NoProgram& error) {
    const std::size_t line = goal::places_of(file.text, {error.op()}).at(0).line;
    throw UsageError(
        fmt::format("{}:{}: this operation cannot run on a network: it {}", file.name, line, error.what()));
}

replay::Recording programs_of(const GoalFile& file, const goal::GoalUnits& units) {
    try {
        return {static_cast<int>(file.schedule.ranks.size()), goal::program_of(file.schedule, units)};
    } catch (const goal::NoProgram& error) {
        refuse(file, error);
    }
}

}  // namespace

std::vector<OptionRow> option_rows(GoalOnNetwork& options) {
    return {
        {"topology", "NAME|FILE", "run it over links that messages share, instead of under LogGP; see ndsim topology",
         name_or_file(options.network.topology, predict::topology_and_machine_names())},
        {"profile", "NAME|FILE", "run it on a profile's network, instead of under LogGP",
         name_or_file(options.network.profile, profile_names())},
        unit_row(options.units),
        sizes_row(options.units)};
}

goal::GoalOutcome run_on_network(const GoalFile& file, const GoalOnNetwork& options, report::Timeline* timeline) {
    int ranks = static_cast<int>(file.schedule.ranks.size());
    const Cluster cluster = goal::with_time_as_work(cluster_of(options.network, ranks));
    const replay::Recording programs = programs_of(file, options.units);
    replay::ReplayOptions replay{.cluster = cluster, .hash_timeline = false};
    if (timeline != nullptr) {
        timeline->topology = cluster.network->shared_topology();
        timeline->bytes_per_unit = cluster.bytes_per_unit;
        replay.on_span = [timeline](const Span& span) { timeline->add(span); };
    }
    const replay::Replay run = programs.replay(replay);
    goal::GoalOutcome outcome;
    for (const RankTotals& rank : run.ranks) {
        outcome.rank_finish.push_back(rank.end.time_since_epoch().count());
    }
    if (timeline != nullptr) {
        timeline->totals = run.ranks;
        timeline->end = run.end;
    }
    return outcome;
}

}  // namespace sim::tools
