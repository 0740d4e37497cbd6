#include "scenarios/run/launch.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/report/timeline.hpp"
#include "scenarios/report/narration.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <chrono>
#include <cstdio>
#include <memory>

namespace sim::scenarios {

using namespace command_line;
using namespace config;
using namespace report;

namespace {

Duration acknowledgement_of(const Cluster& cluster, const Span& receive) {
    return acknowledgement_time(cluster, node_map(cluster.network).hop(receive.peer, receive.rank));
}

// Tells the story on the way or at the end, and fills `timeline` if it is wanted.
sim::ranks::Result launch_and_narrate(sim::ranks::LaunchOptions launch, const command_line::RunOptions& options,
                                      const sim::ranks::Program& program, Timeline& timeline) {
    const bool in_step = options.clock == sim::ranks::Clock::wall;
    std::vector<int> pids;
    spdlog::logger log("ndsim", std::make_shared<spdlog::sinks::stderr_sink_st>());
    log.set_pattern("%v");
    Narration narration(
        {.acknowledgement = [&](const Span& receive) { return acknowledgement_of(launch.cluster, receive); },
         .everything = options.verbose,
         .live = in_step,
         .pid = [&](int rank) { return pids[static_cast<std::size_t>(rank)]; },
         .tell = [&](const std::string& line) { log.info(line); }});

    launch.on_start = [&](const std::vector<int>& of_ranks) { pids = of_ranks; };
    const bool traced = command_line::wants_timeline(options.outputs);
    if (traced || !options.quiet) {
        launch.on_span = [&, traced](const Span& span) {
            if (traced) {
                timeline.add(span);
            }
            if (!options.quiet) {
                narration.add(span);
            }
        };
    }
    if (in_step && !options.quiet) {
        launch.on_time = [&](Time now) { narration.tell_until(now); };
    }
    sim::ranks::Result result = sim::ranks::launch(launch, program);
    // A run that broke off by the wall's clock never came to what it had not told yet.
    if (!in_step || result.ok()) {
        narration.tell_all();
    }
    return result;
}

}  // namespace

sim::ranks::LaunchOptions launch_options(const std::string& name, const command_line::RunOptions& options,
                                         const Cluster& cluster) {
    sim::ranks::LaunchOptions launch{.ranks = options.ranks,
                                     .host = options.host,
                                     .clock = options.clock,
                                     .time_scale = options.time_scale,
                                     .cluster = cluster};
    launch.watchdog =
        std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(options.watchdog_seconds));
    launch.on_log = nullptr;  // the narration tells these lines among its own
    if (options.quiet) {
        launch.progress = {};
    }
    launch.on_notice = [name](const std::string& what) { tell(fmt::format("{}: {}\n", name, what)); };
    return launch;
}

Launched launch_and_show(const std::string& name, const command_line::RunOptions& options, const Cluster& cluster,
                         const sim::ranks::Program& program) {
    command_line::check_outputs(options.outputs);
    Timeline timeline{.title = name,
                      .facts = {{"host", name_of(options.host)}, {"profile", options.profile}},
                      .ranks = options.ranks,
                      .topology = network::shared_topology(cluster.network),
                      .bytes_per_unit = cluster.bytes_per_unit};
    Launched launched{launch_and_narrate(launch_options(name, options, cluster), options, program, timeline)};
    launched.exit_code = launched.result.exit_code();
    timeline.totals = launched.result.ranks;
    timeline.pids = launched.result.pids;
    timeline.end = launched.result.end;
    timeline.fault = launched.result.ok() ? "" : launched.result.fault->message;
    try {
        // Of a run that failed, too: it shows how far the ranks came.
        command_line::write_timeline(options.outputs, timeline);
    } catch (const config::OutputError& error) {
        command_line::complain(name, error.what(), no_output);
        launched.exit_code = launched.exit_code == done ? no_output : launched.exit_code;
    }
    if (!launched.result.ok()) {
        tell(fmt::format("{}: {}\n", name, launched.result.fault->message));
    }
    return launched;
}

}  // namespace sim::scenarios
