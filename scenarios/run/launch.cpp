#include "scenarios/run/launch.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/plain_text.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/timeline.hpp"
#include "scenarios/report/narration.hpp"
#include "scenarios/run/watch.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/progress.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace sim::scenarios {

using namespace command_line;
using namespace config;
using namespace report;

namespace {

Duration acknowledgement_of(const Cluster& cluster, const Span& receive) {
    return acknowledgement_time(cluster, cluster.network->node_map().hop(receive.peer, receive.rank));
}

constexpr std::chrono::milliseconds between_pulses{100};

// The verb for the rank that ended a run.
const char* fault_word(sim::ranks::Failure failure) {
    switch (failure) {
        case sim::ranks::Failure::rank_died: return "died";
        case sim::ranks::Failure::rank_hung: return "hung";
        default: return "ended";
    }
}

// The display of a run on standard error while it lasts: its log lines, its timeline, or its progress.
class Show {
public:
    Show(const RunOptions& options, const Cluster& cluster, Timeline& timeline)
        : options_(&options),
          timeline_(&timeline),
          keeps_spans_(options.watch || wants_timeline(options.outputs)),
          tells_(!options.quiet && !options.watch),
          log_("ndsim", std::make_shared<spdlog::sinks::stderr_sink_st>()),
          narration_({.acknowledgement = [&cluster](const Span& span) { return acknowledgement_of(cluster, span); },
                      .everything = options.verbose,
                      .live = in_step(),
                      .pid = [this](int rank) { return timeline_->pids[static_cast<std::size_t>(rank)]; },
                      .tell = [this](const std::string& line) { log_.info(plain_text(line)); }}) {
        log_.set_pattern("%v");
        if (options.watch) {
            watch_.emplace(options);
        } else if (!options.quiet && !in_step()) {
            progress_.emplace(static_cast<std::size_t>(options.ranks));
        }
    }
    Show(const Show&) = delete;
    Show& operator=(const Show&) = delete;

    void listen(sim::ranks::LaunchOptions& launch) {
        launch.on_start = [this](const std::vector<int>& pids) { timeline_->pids = pids; };
        launch.on_notice = [this, tell = launch.on_notice](const std::string& what) { notice(what, tell); };
        if (keeps_spans_ || tells_) {
            launch.on_span = [this](const Span& span) { add(span); };
        }
        if (in_step() && tells_) {
            launch.on_time = [this](Time now) { narration_.tell_until(now); };
        }
        if (watch_ || (progress_ && progress_->is_shown())) {
            launch.on_pulse = [this](const sim::ranks::Pulse& pulse) { at(pulse); };
            launch.pulse = between_pulses;
        }
        if (progress_ && progress_->is_shown()) {
            launch.progress = {};  // the bar shows it
        }
    }

    void end(const sim::ranks::Result& result) {
        progress_.reset();
        if (watch_) {
            watch_->end(*timeline_, result.wall_seconds);
        } else if (!in_step() || result.ok()) {
            // A run that the wall clock ended still holds lines.
            narration_.tell_all();
        }
    }

private:
    bool in_step() const { return options_->clock == sim::ranks::Clock::wall; }

    void add(const Span& span) {
        if (keeps_spans_) {
            timeline_->add(span);
        }
        if (tells_) {
            narration_.add(span);
        }
    }

    void notice(const std::string& what, const std::function<void(const std::string&)>& tell) {
        if (watch_) {
            return watch_->note(what);
        }
        if (progress_) {
            progress_->erase();
        }
        tell(what);
    }

    void at(const sim::ranks::Pulse& pulse) {
        if (watch_) {
            return watch_->at(*timeline_, pulse.wall_seconds);
        }
        const double per_second = static_cast<double>(pulse.messages) / std::max(pulse.wall_seconds, 1e-9);
        const std::string rates =
            fmt::format("{} simulated; {:.0f} messages/s", time_text(pulse.reached, 5), per_second);
        if (pulse.share_done > 0) {
            progress_->at_share(pulse.share_done,
                                sim::ranks::progress_text(pulse.share_done, pulse.wall_seconds) + "; " + rates);
        } else {
            progress_->at(static_cast<std::size_t>(pulse.ranks_finished), "ranks finished; " + rates);
        }
    }

    const RunOptions* options_;
    Timeline* timeline_;
    bool keeps_spans_;
    bool tells_;
    spdlog::logger log_;
    Narration narration_;
    std::optional<Watch> watch_;
    std::optional<Progress> progress_;
};

}  // namespace

sim::ranks::LaunchOptions launch_options(const std::string& name, const RunOptions& options, const Cluster& cluster) {
    sim::ranks::LaunchOptions launch{.ranks = options.ranks,
                                     .host = options.host,
                                     .clock = options.clock,
                                     .time_scale = options.time_scale,
                                     .cluster = cluster};
    launch.faults = options.faults;
    launch.record = wants_program(options.outputs);
    launch.watchdog =
        std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(options.watchdog_seconds));
    launch.on_log = nullptr;  // the narration prints these lines among its own
    if (options.quiet) {
        launch.progress = {};
    }
    launch.on_notice = [name](const std::string& what) { tell(fmt::format("{}: {}\n", name, what)); };
    return launch;
}

namespace {

void complete(Timeline& timeline, const sim::ranks::Result& result) {
    timeline.totals = result.ranks;
    timeline.pids = result.pids;
    timeline.end = result.end;
    if (!result.ok()) {
        timeline.fault = result.fault->message;
        timeline.fault_rank = result.fault->rank;
        timeline.fault_word = fault_word(result.fault->failure);
    }
}

Launched launch_shown(sim::ranks::LaunchOptions launch, const RunOptions& options,
                      const sim::ranks::RecoverableProgram& program, Timeline& timeline) {
    Show show(options, launch.cluster, timeline);
    show.listen(launch);
    sim::ranks::Recovered run = sim::ranks::launch_with_recovery(launch, options.recovery, program);
    Launched launched{std::move(run.result), std::move(run.lives)};
    launched.exit_code = launched.result.exit_code();
    complete(timeline, launched.result);
    show.end(launched.result);
    return launched;
}

}  // namespace

Launched launch_and_show(const std::string& name, const RunOptions& options, const Cluster& cluster,
                         const sim::ranks::RecoverableProgram& program, const Describe& describe) {
    check_watch(options);
    check_outputs(options.outputs);
    Timeline timeline{.title = name,
                      .facts = {{"host", name_of(options.host)}, {"profile", options.profile}},
                      .ranks = options.ranks,
                      .topology = cluster.network->shared_topology(),
                      .bytes_per_unit = cluster.bytes_per_unit};
    if (describe) {
        describe(timeline);
    }
    if (!options.faults.empty()) {
        timeline.facts.push_back({"faults", to_text(options.faults)});
    }
    Launched launched = launch_shown(launch_options(name, options, cluster), options, program, timeline);
    try {
        // Written for a failed run as well: it shows how far the ranks got.
        write_timeline(options.outputs, timeline);
        if (launched.result.recording) {
            write_program(options.outputs, {.title = name,
                                            .profile = options.profile,
                                            .ops = launched.result.recording.get(),
                                            .cluster = &cluster});
        }
    } catch (const OutputError& error) {
        complain(name, error.what(), no_output);
        launched.exit_code = launched.exit_code == done ? no_output : launched.exit_code;
    }
    if (!launched.result.ok()) {
        tell(fmt::format("{}: {}\n", name, launched.result.fault->message));
    }
    return launched;
}

}  // namespace sim::scenarios
