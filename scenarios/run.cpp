#include "libsim/error.hpp"
#include "ranks/host/stop_signal.hpp"
#include "scenarios/errors.hpp"
#include "scenarios/options/profile.hpp"
#include "scenarios/report/chrome_trace.hpp"
#include "scenarios/report/json_report.hpp"
#include "scenarios/report/narration.hpp"
#include "scenarios/report/outcome.hpp"
#include "scenarios/report/output_file.hpp"
#include "scenarios/report/summary.hpp"
#include "scenarios/trainer/plan.hpp"
#include "scenarios/trainer/trainer.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

namespace sim::scenarios {

namespace {

// Exit codes beside those of a fault.
enum ExitCode { done = 0, failed = 1, usage = 2, deadlock = 3, no_output = 6, machine_limit = 7, stopped = 128 };

int complain(const std::string& name, std::string what, int exit_code) {
    // One line, whatever was typed or read.
    std::replace_if(
        what.begin(), what.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    fmt::print(stderr, "{}: {}\n", name, what);
    return exit_code;
}

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw OutputError(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
    }
}

// Better said before the run than by every rank in it.
void require_prices(const Options& options, const Cluster& cluster) {
    try {
        compute_time(cluster, 0, Units{options.compute_units});
        transfer_time(cluster, Units{options.gradient_units});
        transfer_time(cluster, Units{options.activation_units * options.items});
    } catch (const ProgramError& error) {
        throw UsageError(
            fmt::format("--profile {} does not fit: {}; its kind must be \"units\"", options.profile, error.what()));
    }
}

Duration acknowledgement_of(const Cluster& cluster, const Span& receive) {
    return acknowledgement_time(cluster, hop_between(ranks_per_node(cluster), receive.peer, receive.rank));
}

// What is kept of the spans for --trace.
struct Recording {
    Labels labels;
    std::vector<Span> spans;

    void add(const Span& span) {
        spans.push_back(span);
        spans.back().label = labels.keep(span.label);
    }
};

struct Run {
    const Scenario& scenario;
    const Options& options;
    const Cluster& cluster;
};

// Runs, tells the story on the way or at the end, and fills `recording` if a trace is wanted.
sim::ranks::Result launch_and_narrate(const Run& run, Recording& recording) {
    const Options& options = run.options;
    const bool in_step = options.clock == sim::ranks::Clock::wall;
    std::vector<int> pids;
    spdlog::logger log("ndsim", std::make_shared<spdlog::sinks::stderr_sink_st>());
    log.set_pattern("%v");
    Narration narration(
        {.acknowledgement = [&](const Span& receive) { return acknowledgement_of(run.cluster, receive); },
         .everything = options.verbose,
         .live = in_step,
         .pid = [&](int rank) { return pids[static_cast<std::size_t>(rank)]; },
         .tell = [&](const std::string& line) { log.info(line); }});

    sim::ranks::LaunchOptions launch{.ranks = options.ranks,
                                     .host = options.host,
                                     .clock = options.clock,
                                     .time_scale = options.time_scale,
                                     .cluster = run.cluster};
    launch.watchdog =
        std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(options.watchdog_seconds));
    launch.on_start = [&](const std::vector<int>& of_ranks) { pids = of_ranks; };
    launch.on_notice = [&](const std::string& what) { fmt::print(stderr, "{}: {}\n", run.scenario.name, what); };
    const bool traced = !options.trace.empty();
    if (traced || !options.quiet) {
        launch.on_span = [&, traced](const Span& span) {
            if (traced) {
                recording.add(span);
            }
            if (!options.quiet) {
                narration.add(span);
            }
        };
    }
    if (in_step && !options.quiet) {
        launch.on_time = [&](Time now) { narration.tell_until(now); };
    }
    sim::ranks::Result result = sim::ranks::launch(launch, [&](GPU& gpu) { train(gpu, options); });
    // A run that broke off by the wall's clock never came to what it had not told yet.
    if (!in_step || result.ok()) {
        narration.tell_all();
    }
    return result;
}

int run_or_throw(const Scenario& scenario, int argc, const char* const* argv) {
    const auto read = read_options(scenario, argc, argv);
    if (const auto* answer = std::get_if<Answer>(&read)) {
        print(answer->text);
        return done;
    }
    Options options = std::get<Options>(read);
    const Cluster cluster = read_profile(options.profile);
    options.slowdown = cluster.compute.slowdown;
    check_plan(options);
    if (options.show_schedule) {
        print(schedule_text(options));
        return done;
    }
    require_prices(options, cluster);
    if (!options.trace.empty()) {
        check_output(options.trace);
    }

    // From here on an interrupted run still leaves a valid trace.
    const sim::ranks::StopSignal stop;
    Recording recording;
    sim::ranks::Result result = launch_and_narrate({scenario, options, cluster}, recording);
    int exit_code = result.exit_code();
    if (!options.trace.empty()) {
        try {
            // Of a run that failed, too: it shows how far the ranks came.
            write_output(options.trace,
                         [&](std::ostream& out) { write_chrome_trace(out, recording.spans, options.ranks); });
        } catch (const OutputError& error) {
            complain(scenario.name, error.what(), no_output);
            exit_code = exit_code == done ? no_output : exit_code;
        }
    }
    if (!result.ok()) {
        fmt::print(stderr, "{}: {}\n", scenario.name, result.fault->message);
        return exit_code;
    }
    const Outcome outcome = outcome_of(scenario.name, options, cluster, std::move(result));
    print(options.json ? json_report(outcome) : summary(outcome));
    if (const int signal = stop.received(); signal != 0) {
        return stopped + signal;
    }
    if (exit_code == done && !outcome.agrees()) {
        return complain(scenario.name, "the weights differ from those of training on one rank", failed);
    }
    return exit_code;
}

}  // namespace

int run(const Scenario& scenario, int argc, const char* const* argv) {
    // A file that grows too large and a reader that goes away are failed writes, which are reported, not an end.
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return run_or_throw(scenario, argc, argv);
    } catch (const Interrupted& interrupted) {
        return stopped + interrupted.signal;
    } catch (const UsageError& error) {
        return complain(scenario.name, error.what(), usage);
    } catch (const std::invalid_argument& error) {
        return complain(scenario.name, error.what(), usage);
    } catch (const std::out_of_range& error) {  // of a unit, a rate or a duration
        return complain(scenario.name, error.what(), usage);
    } catch (const std::overflow_error& error) {  // of simulated time
        return complain(scenario.name, error.what(), usage);
    } catch (const DeadlockError& error) {
        fmt::print(stderr, "{}: {}\n", scenario.name, error.what());
        return deadlock;
    } catch (const OutputError& error) {
        return complain(scenario.name, error.what(), no_output);
    } catch (const std::system_error& error) {
        return complain(scenario.name, error.what(), machine_limit);
    } catch (const std::bad_alloc&) {
        return complain(scenario.name, "there is not enough memory", machine_limit);
    } catch (const std::exception& error) {
        return complain(scenario.name, error.what(), failed);
    }
}

}  // namespace sim::scenarios
