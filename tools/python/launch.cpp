// launch: a Python function as many forked ranks.
#include "ranks/lab/explain_fault.hpp"

#include "libsim/config/text_file.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/fork_guard.hpp"
#include "tools/python/run_settings.hpp"
#include "tools/python/script_line.hpp"

#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

namespace {

// Called in the parent while Python's lock is released.
ranks::LogSink log_sink(const py::object& on_log) {
    if (on_log.is_none()) {
        return nullptr;
    }
    return [&on_log](const ranks::LogLine& line) {
        const py::gil_scoped_acquire lock;
        on_log(line);
    };
}

// Explains the fault as the labs do: who waits at which line of the file, and which line could have answered it.
void tell_in_lines(RunResult& run, const lab::CallSites& sites, const std::string& file) {
    ranks::Fault& fault = *run.result.fault;
    lab::Record record{.fault = fault, .lines = lines_of(fault, sites, file), .timeline = {}, .reports = {}};
    record.timeline.ranks = run.timeline.ranks;
    fault.message = lab::explain_fault(record, file.substr(file.rfind('/') + 1), config::read_text(file, "a program"));
    fault.message.erase(fault.message.find_last_not_of('\n') + 1);
}

std::shared_ptr<RunResult> run_ranks(const py::object& program, const Settings& settings, const py::object& on_log,
                                     const py::object& on_notice) {
    ranks::LaunchOptions options = launch_options(settings);
    auto run = std::make_shared<RunResult>();
    begin(*run, settings, options);
    options.on_log = log_sink(on_log);
    options.on_notice = [&on_notice](const std::string& what) {
        const py::gil_scoped_acquire lock;
        on_notice(what);
    };
    std::optional<lab::CallSites> sites;
    if (!settings.lines_of.empty() && settings.ranks > 0) {
        sites.emplace(call_lines(settings.ranks, settings.lines_of));
        options.port_between = [&sites](Port& port) { return sites->before(port); };
    }
    {
        ForkGuard forking;
        options.on_start = [&forking](const std::vector<int>&) { forking.done(); };
        run->result = ranks::launch(options, [&program](GPU& gpu) { be_python_rank(gpu, program); });
    }
    if (sites && run->result.fault) {
        tell_in_lines(*run, *sites, settings.lines_of);
    }
    complete(*run, settings);
    return run;
}

void bind_log_line(py::module_& module) {
    using ranks::LogLine;
    py::class_<LogLine>(module, "LogLine", "A line of GPU.log; str(line) is the printed form.")
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
        [](int ranks, const std::vector<int>& running, const py::object& program, const py::object& on_log,
           const py::object& on_notice, const std::string& machine, const py::object& profile,
           std::optional<double> time_scale, double watchdog, bool timeline, bool blocking_sends,
           const std::string& title, const std::vector<std::string>& faults, const std::string& lines_of) {
            return run_ranks(program,
                             {.ranks = ranks,
                              .running = running,
                              .machine = machine,
                              .profile = profile,
                              .time_scale = time_scale,
                              .watchdog_seconds = watchdog,
                              .keeps_timeline = timeline,
                              .blocking_sends = blocking_sends,
                              .title = title,
                              .faults = faults,
                              .lines_of = lines_of},
                             on_log, on_notice);
        },
        py::arg("ranks"), py::arg("running"), py::arg("program"), py::kw_only(), py::arg("on_log"),
        py::arg("on_notice"), py::arg("machine"), py::arg("profile"), py::arg("time_scale"), py::arg("watchdog"),
        py::arg("timeline"), py::arg("blocking_sends"), py::arg("title"), py::arg("faults"), py::arg("lines_of"),
        "Run a program, which returns its last words, as forked ranks. Call ndsim.launch instead.");
}

}  // namespace sim::python
