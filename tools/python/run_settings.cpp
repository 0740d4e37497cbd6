#include "tools/python/run_settings.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/training/machine_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace sim::python {

namespace py = pybind11;

namespace {

Cluster profile_of(const py::object& profile, int ranks) {
    if (profile.is_none()) {
        return config::read_profile("gpu-py", ranks);
    }
    if (py::isinstance<py::dict>(profile)) {
        return config::read_profile("profile", entries_of(profile.cast<py::dict>(), "profile"), ranks);
    }
    if (!py::isinstance<py::str>(profile)) {
        throw config::UsageError(
            fmt::format("profile= must be a name, a FILE.toml or a dict of what such a file "
                        "holds, not {}",
                        std::string(py::str(py::type::of(profile).attr("__name__")))));
    }
    return config::read_profile(profile.cast<std::string>(), ranks);
}

Cluster cluster_of(const Settings& settings) {
    if (!settings.machine.empty() && !settings.profile.is_none()) {
        throw config::UsageError("machine= and profile= both set the costs; give one of them");
    }
    Cluster cluster = settings.machine.empty() ? profile_of(settings.profile, settings.ranks)
                                               : training::machine_cluster(predict::read_machine(settings.machine));
    cluster.blocking_sends = settings.blocking_sends;
    return cluster;
}

// The rank's row in the timeline, which shows only running ranks.
int place_of(int rank, const std::vector<int>& running) {
    if (running.empty() || rank < 0) {
        return rank;
    }
    return static_cast<int>(std::ranges::lower_bound(running, rank) - running.begin());
}

template <class Value>
std::vector<Value> of_those_that_run(const std::vector<Value>& by_rank, const std::vector<int>& running) {
    if (running.empty() || by_rank.empty()) {
        return by_rank;
    }
    std::vector<Value> found;
    for (const int rank : running) {
        found.push_back(by_rank.at(static_cast<std::size_t>(rank)));
    }
    return found;
}

void account_for_steps(RunResult& run, int gpus_of_node, ranks::LaunchOptions& options) {
    const auto steps = std::make_shared<torch::StepAccount>(options.ranks, gpus_of_node);
    run.steps = steps;
    options.on_span = [steps, next = std::move(options.on_span)](const Span& span) {
        steps->add(span);
        if (next) {
            next(span);
        }
    };
    options.on_step_done = [steps](int rank, std::int64_t optimizer, Time at) { steps->end_step(rank, optimizer, at); };
}

}  // namespace

ranks::LaunchOptions launch_options(const Settings& settings) {
    if (!(settings.watchdog_seconds > 0 && settings.watchdog_seconds < 1e9)) {
        throw config::UsageError(
            fmt::format("watchdog must be more than 0 seconds and less than 1e9, not {}", settings.watchdog_seconds));
    }
    ranks::LaunchOptions options{.ranks = settings.ranks,
                                 .running = settings.running,
                                 .clock = settings.time_scale ? ranks::Clock::wall : ranks::Clock::virtual_time,
                                 .time_scale = settings.time_scale.value_or(1.0),
                                 .cluster = cluster_of(settings),
                                 .watchdog = std::chrono::ceil<std::chrono::milliseconds>(
                                     std::chrono::duration<double>(settings.watchdog_seconds))};
    for (const std::string& fault : settings.faults) {
        options.faults.push_back(config::injection_of_text("faults=", fault));
    }
    return options;
}

void begin(RunResult& run, const Settings& settings, ranks::LaunchOptions& options) {
    run.has_timeline = settings.keeps_timeline;
    run.timeline.title = settings.title;
    run.timeline.facts = {{"host", "process"}, {"cluster", options.cluster.name}};
    run.timeline.ranks = options.count_of_running();
    for (const int rank : options.running) {
        run.timeline.rank_names.push_back(fmt::format("Rank {}", rank));
    }
    run.timeline.topology = options.cluster.network->shared_topology();
    run.timeline.bytes_per_unit = options.cluster.bytes_per_unit;
    if (settings.keeps_timeline) {
        options.on_span = [&timeline = run.timeline, &running = settings.running](Span span) {
            span.rank = place_of(span.rank, running);
            timeline.add(span);
        };
    }
    if (!settings.machine.empty()) {
        account_for_steps(run, predict::read_machine(settings.machine).gpus_per_node, options);
    }
}

void complete(RunResult& run, const Settings& settings) {
    report::Timeline& timeline = run.timeline;
    timeline.totals = of_those_that_run(run.result.ranks, settings.running);
    timeline.pids = of_those_that_run(run.result.pids, settings.running);
    timeline.end = run.result.end;
    if (run.result.fault) {
        timeline.fault = run.result.fault->message;
        timeline.fault_rank = place_of(run.result.fault->rank, settings.running);
        timeline.fault_word = run.result.fault->failure == ranks::Failure::rank_died   ? "died"
                              : run.result.fault->failure == ranks::Failure::rank_hung ? "hung"
                                                                                       : "ended";
    }
}

}  // namespace sim::python
