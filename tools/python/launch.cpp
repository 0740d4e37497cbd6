// launch: a Python function as many forked ranks.
#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/training/machine_cluster.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/dict_entries.hpp"
#include "tools/python/fork_guard.hpp"
#include "tools/python/run_result.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <chrono>

namespace sim::python {

namespace py = pybind11;

namespace {

struct Settings {
    int ranks = 1;
    std::string machine;               // empty: profile
    py::object profile;                // a name, a file, or a dict of what a file holds
    std::optional<double> time_scale;  // none: as fast as possible
    double watchdog_seconds = 30;
    bool keeps_timeline = true;
    bool blocking_sends = false;
    std::string title;
    std::vector<std::string> faults;
};

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
        throw config::UsageError("machine= and profile= both say what things cost; give one of them");
    }
    Cluster cluster = settings.machine.empty() ? profile_of(settings.profile, settings.ranks)
                                               : training::machine_cluster(predict::read_machine(settings.machine));
    cluster.blocking_sends = settings.blocking_sends;
    return cluster;
}

ranks::LaunchOptions launch_options(const Settings& settings) {
    if (!(settings.watchdog_seconds > 0 && settings.watchdog_seconds < 1e9)) {
        throw config::UsageError(
            fmt::format("watchdog must be more than 0 seconds and less than 1e9, not {}", settings.watchdog_seconds));
    }
    ranks::LaunchOptions options{.ranks = settings.ranks,
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

// In the parent, while Python's lock is free.
ranks::LogSink log_sink(const py::object& on_log) {
    if (on_log.is_none()) {
        return nullptr;
    }
    return [&on_log](const ranks::LogLine& line) {
        const py::gil_scoped_acquire lock;
        on_log(line);
    };
}

void complete(RunResult& run) {
    report::Timeline& timeline = run.timeline;
    timeline.totals = run.result.ranks;
    timeline.pids = run.result.pids;
    timeline.end = run.result.end;
    if (run.result.fault) {
        timeline.fault = run.result.fault->message;
        timeline.fault_rank = run.result.fault->rank;
        timeline.fault_word = run.result.fault->failure == ranks::Failure::rank_died   ? "died"
                              : run.result.fault->failure == ranks::Failure::rank_hung ? "hung"
                                                                                       : "ended";
    }
}

std::shared_ptr<RunResult> run_ranks(const py::object& program, const Settings& settings, const py::object& on_log,
                                     const py::object& on_notice) {
    ranks::LaunchOptions options = launch_options(settings);
    auto run = std::make_shared<RunResult>();
    run->has_timeline = settings.keeps_timeline;
    run->timeline.title = settings.title;
    run->timeline.facts = {{"host", "process"}, {"cluster", options.cluster.name}};
    run->timeline.ranks = settings.ranks;
    run->timeline.topology = network::shared_topology(options.cluster.network);
    run->timeline.bytes_per_unit = options.cluster.bytes_per_unit;
    if (settings.keeps_timeline) {
        options.on_span = [&timeline = run->timeline](const Span& span) { timeline.add(span); };
    }
    options.on_log = log_sink(on_log);
    options.on_notice = [&on_notice](const std::string& what) {
        const py::gil_scoped_acquire lock;
        on_notice(what);
    };
    {
        ForkGuard forking;
        options.on_start = [&forking](const std::vector<int>&) { forking.done(); };
        run->result = ranks::launch(options, [&program](GPU& gpu) { be_python_rank(gpu, program); });
    }
    complete(*run);
    return run;
}

void bind_log_line(py::module_& module) {
    using ranks::LogLine;
    py::class_<LogLine>(module, "LogLine", "A line of GPU.log: str(line) is as it is shown.")
        .def_property_readonly(
            "seconds", [](const LogLine& line) { return seconds(line.at); }, "Simulated.")
        .def_readonly("rank", &LogLine::rank)
        .def_readonly("pid", &LogLine::pid)
        .def_readonly("text", &LogLine::text)
        .def("__str__", [](const LogLine& line) { return ranks::to_text(line); });
}

}  // namespace

void be_python_rank(GPU& gpu, const py::object& program) {
    PyOS_AfterFork_Child();
    std::string words;
    try {
        words = program(RankGPU{&gpu}).cast<std::string>();
    } catch (py::error_already_set& error) {
        words = error.what();
    }
    if (!words.empty()) {
        throw std::runtime_error(words);
    }
}

void bind_launch(py::module_& module) {
    bind_log_line(module);
    module.def(
        "run",
        [](int ranks, const py::object& program, const py::object& on_log, const py::object& on_notice,
           const std::string& machine, const py::object& profile, std::optional<double> time_scale, double watchdog,
           bool timeline, bool blocking_sends, const std::string& title, const std::vector<std::string>& faults) {
            return run_ranks(program,
                             {.ranks = ranks,
                              .machine = machine,
                              .profile = profile,
                              .time_scale = time_scale,
                              .watchdog_seconds = watchdog,
                              .keeps_timeline = timeline,
                              .blocking_sends = blocking_sends,
                              .title = title,
                              .faults = faults},
                             on_log, on_notice);
        },
        py::arg("ranks"), py::arg("program"), py::kw_only(), py::arg("on_log"), py::arg("on_notice"),
        py::arg("machine"), py::arg("profile"), py::arg("time_scale"), py::arg("watchdog"), py::arg("timeline"),
        py::arg("blocking_sends"), py::arg("title"), py::arg("faults"),
        "Run a program, which returns its last words, as forked ranks. ndsim.launch is what to call.");
}

}  // namespace sim::python
