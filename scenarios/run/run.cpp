#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/error.hpp"
#include "libsim/report/chunk_steps.hpp"
#include "libsim/report/mesh_axes.hpp"
#include "ranks/host/stop_signal.hpp"
#include "scenarios/lesson/trainer/plan.hpp"
#include "scenarios/lesson/trainer/trainer.hpp"
#include "scenarios/report/outcome.hpp"
#include "scenarios/report/reports.hpp"
#include "scenarios/report/scaling.hpp"
#include "scenarios/run/checks.hpp"
#include "scenarios/run/launch.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/own_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace sim::scenarios {

using namespace command_line;
using namespace config;
using namespace lesson;

namespace {

constexpr const char* differs = "the weights differ from those of training on one rank";

struct CommandLineOf {
    const Scenario& scenario;
    int argc;
    const char* const* argv;
};

// Checked before the run, so that not every rank reports it.
void require_prices(const Options& options, const Cluster& cluster) {
    try {
        compute_time(cluster, 0, Units{options.compute_units});
        require_price(cluster, Units{options.gradient_units});
        require_price(cluster, Units{options.activation_units * options.items});
    } catch (const ProgramError& error) {
        throw UsageError(
            fmt::format("--profile {} does not fit: {}; its kind must be \"units\", or \"loggp\" or \"cluster\" with "
                        "seconds_per_unit "
                        "in [compute] and bytes_per_unit in [network]",
                        options.profile, error.what()));
    }
}

// The numbers are real, so every message of a sum is sent, and in a ring their number grows with the square of the
// replicas. A warning before the run is better than minutes of silence.
void tell_of_many_messages(const Scenario& scenario, const Options& options) {
    constexpr std::int64_t many = 10'000'000;  // half a minute with fibers
    if (options.mesh.dp < 2) {
        return;
    }
    const Schedule sum = collectives::schedule_of(CollectiveKind::all_reduce, options.synchronize, options.mesh.dp, 0);
    const std::int64_t messages = std::int64_t{sum.members} * sum.steps * sum.channels;
    if (sum.in_lock_step() && messages > many) {
        tell(
            fmt::format("{}: each sum of gradients over {} replicas is {} messages ({}), and each of them is "
                        "sent: this takes long\n",
                        scenario.name, sum.members, messages, name_of(options.synchronize)));
    }
}

// The sum of the gradients of a group of replicas, if each of them holds all of its gradients and sends them as they
// are.
std::string sum_of_gradients(const Options& options) {
    if (options.mesh.dp < 2 || options.zero > 0 || options.compress != "none") {
        return "";
    }
    const Schedule sum = collectives::schedule_of(CollectiveKind::all_reduce, options.synchronize, options.mesh.dp, 0);
    return report::chunk_steps(fmt::format("all-reduce by {}", name_of(options.synchronize)), sum);
}

Launched launch_training(const Scenario& scenario, const Options& options, const Cluster& cluster) {
    Options recoverable = options;
    recoverable.recovery.survivors = [&](int ranks, const std::vector<int>& dead) {
        return living_replicas(options, ranks, dead);
    };
    return launch_and_show(
        scenario.name, recoverable, cluster,
        [&](GPU& gpu, const sim::ranks::Start& start) { train(gpu, options_of_life(options, start.places), start); },
        [&](sim::report::Timeline& timeline) {
            const sim::Mesh mesh = mesh_of(options);
            report::add_axes(timeline, {"pp", "dp", "ep", "cp", "tp"},
                             [&](int rank, const char* axis) { return mesh.coordinate(rank, axis); });
            timeline.chunks = sum_of_gradients(options);
        });
}

// The known speeds of the ranks, for dividing the items.
std::vector<double> slowdowns_of(const Options& options, const Cluster& cluster) {
    std::vector<double> slowdowns = faults::lasting_slowdowns(options.faults, options.ranks);
    if (slowdowns.empty()) {
        return cluster.compute.slowdown;
    }
    for (std::size_t rank = 0; rank < std::min(slowdowns.size(), cluster.compute.slowdown.size()); ++rank) {
        slowdowns[rank] *= cluster.compute.slowdown[rank];
    }
    return slowdowns;
}

int run_once(const Scenario& scenario, Options options) {
    const Cluster cluster = read_profile(options.profile, options.ranks);
    options.slowdown = slowdowns_of(options, cluster);
    check_plan(options);
    if (options.show_schedule) {
        print(schedule_text(options));
        return done;
    }
    require_prices(options, cluster);
    check_faults(options.faults, options.ranks, cluster.network);
    check_elastic(options, cluster);
    check_memory(options);
    tell_of_many_messages(scenario, options);
    // From here on an interrupted run still leaves a valid trace.
    const sim::ranks::StopSignal stop;
    Launched launched = launch_training(scenario, options, cluster);
    if (!launched.result.ok()) {
        if (launched.result.fault->as_asked && !shows_text(options.outputs)) {
            write_outputs(options.outputs,
                          {.text = [] { return std::string(); },
                           .json = [&] { return json_of_fault(scenario.name, options, launched.result); }});
        }
        return launched.exit_code;
    }
    const Outcome outcome =
        outcome_of(scenario.name, options, cluster, std::move(launched.result), std::move(launched.lives));
    write_outputs(options.outputs,
                  {.text = [&] { return summary(outcome); }, .json = [&] { return json_report(outcome); }});
    if (const int signal = stop.received(); signal != 0) {
        return stopped + signal;
    }
    if (launched.exit_code == done && !outcome.agrees()) {
        return complain(scenario.name, differs, failed);
    }
    return launched.exit_code;
}

// The options for one size of --scaling. Throws the reason if this size is impossible.
Options sized(const CommandLineOf& line, std::int64_t size, const Cluster& cluster) {
    Options options = std::get<Options>(read_options(line.scenario, line.argc, line.argv, size));
    options.slowdown = slowdowns_of(options, cluster);
    take_picture(options.outputs);
    options.quiet = true;  // lines of several runs would be read as one story
    check_plan(options);
    require_prices(options, cluster);
    check_faults(options.faults, options.ranks, cluster.network);
    return options;
}

int run_scaling(const CommandLineOf& line, const Options& asked) {
    const Cluster cluster = read_profile(asked.profile, asked.ranks);
    const sim::ranks::StopSignal stop;
    Scaling scaling{.scenario = line.scenario.name, .axis = line.scenario.axes.front().first, .profile = asked.profile};
    bool agree = true;
    for (const std::int64_t size : asked.scaling) {
        Options options;
        try {
            options = sized(line, size, cluster);
        } catch (const UsageError& error) {
            scaling.sizes.push_back({size, {}, error.what()});
            continue;
        } catch (const DeadlockError& error) {
            scaling.sizes.push_back({size, {}, error.what()});
            continue;
        }
        Launched launched = launch_training(line.scenario, options, cluster);
        if (!launched.result.ok()) {
            return launched.exit_code;
        }
        scaling.sizes.push_back(
            {size, outcome_of(line.scenario.name, options, cluster, std::move(launched.result)), ""});
        agree = agree && scaling.sizes.back().outcome->agrees();
        if (const int signal = stop.received(); signal != 0) {
            return stopped + signal;
        }
    }
    const auto possible = [](const ScalingSize& size) { return size.outcome.has_value(); };
    if (std::none_of(scaling.sizes.begin(), scaling.sizes.end(), possible)) {
        throw UsageError(
            fmt::format("--scaling: none of these sizes is possible; the first: {}", scaling.sizes.front().why_not));
    }
    Outputs outputs = asked.outputs;
    if (const std::string picture = take_picture(outputs); !picture.empty()) {
        write_output(picture, [&](std::ostream& out) { out << svg_scaling(scaling); });
    }
    write_outputs(outputs,
                  {.text = [&] { return show_scaling(scaling); }, .json = [&] { return json_scaling(scaling); }});
    return agree ? done : complain(line.scenario.name, differs, failed);
}

int run_or_throw(const CommandLineOf& line) {
    const auto read = read_options(line.scenario, line.argc, line.argv);
    if (const auto* answer = std::get_if<Answer>(&read)) {
        print(answer->text);
        return done;
    }
    const Options& options = std::get<Options>(read);
    return options.scaling.empty() ? run_once(line.scenario, options) : run_scaling(line, options);
}

}  // namespace

int run(const Scenario& scenario, int argc, const char* const* argv) {
    return exit_code_of(scenario.name, [&] { return run_or_throw({scenario, argc, argv}); });
}

}  // namespace sim::scenarios
