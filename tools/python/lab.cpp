// Labs in Python: plays the cases of a lab, as ranks/lab/run.cpp does for C++.
#include "ranks/lab/case.hpp"
#include "ranks/lab/explain_fault.hpp"
#include "ranks/lab/record.hpp"

#include "libsim/config/text_file.hpp"
#include "libsim/report/text_timeline.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/fork_guard.hpp"
#include "tools/python/run_result.hpp"
#include "tools/python/script_line.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <string>

namespace sim::python {

namespace py = pybind11;

namespace {

lab::Record play_case(const lab::Case& played, const py::object& program, const std::string& file) {
    lab::CallSites sites = call_lines(played.ranks, file);
    ranks::LaunchOptions options = lab::launch_options(played, ranks::Host::process);
    options.port_between = [&sites](Port& port) { return sites.before(port); };
    // Created before the fork so that the ranks share it.
    const py::object given = py::cast(played.given.numbers());
    const py::object with_given = program(given);
    lab::Record record;
    {
        ForkGuard forking;
        options.on_start = [&forking](const std::vector<int>&) { forking.done(); };
        record = lab::play(std::move(options), [&](GPU& gpu) { be_python_rank(gpu, with_given); });
    }
    if (record.fault) {
        lab::add_last_op(*record.fault, sites);
        record.lines = lines_of(*record.fault, sites, file);
    }
    return record;
}

// Explains each run that ended early, one after another.
std::string explain(const std::vector<lab::Record>& records, const std::string& file) {
    std::string notes;
    for (const lab::Record& each : records) {
        if (each.fault) {
            notes += lab::explain_fault(each, file.substr(file.rfind('/') + 1), config::read_text(file, "a lab"));
        }
    }
    return notes;
}

py::tuple play_cases(const std::string& name, const std::string& cases, const py::object& program,
                     const std::string& file) {
    std::vector<lab::Record> records;
    std::string pictures;
    for (const lab::Case& each : lab::cases_from_json(name, cases)) {
        records.push_back(play_case(each, program, file));
        records.back().timeline.title = "yours";
        pictures += report::text_timeline(records.back().timeline);
    }
    return py::make_tuple(lab::to_json(records), pictures, explain(records, file));
}

// Parses a place in the learner's file, such as "train.py:41"; an empty text is no line.
lab::Line line_from(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    return colon == std::string::npos ? lab::Line{}
                                      : lab::Line{text.substr(0, colon), std::stoi(text.substr(colon + 1))};
}

// The record of a run of ndsim.launch. `waiting`: the line at which each of its ranks waits.
std::string record_of(const RunResult& run, const std::string& explanation, const std::vector<std::string>& waiting) {
    lab::Record record{.fault = run.result.fault,
                       .lines = {},
                       .timeline = run.kept(),
                       .reports = run.result.reports,
                       .messages = run.result.messages,
                       .timeline_sha256 = run.result.timeline_sha256};
    if (record.fault) {
        record.fault->message = explanation;
        for (const kernel::WrongOp& op : record.fault->ops) {
            const auto rank = static_cast<std::size_t>(op.rank);
            record.lines.push_back(rank < waiting.size() ? line_from(waiting[rank]) : lab::Line{});
        }
    }
    return lab::to_json({record});
}

}  // namespace

void bind_lab(py::module_& module) {
    module.def(
        "gap_report", [] { return lab::gap_report; }, "The report of a rank that reached a gap in a lab.");
    module.def("play_lab", &play_cases, py::arg("name"), py::arg("cases"), py::arg("program"), py::arg("file"),
               "Play the cases of a lab; returns their records as JSON, their timelines as text, and their "
               "faults, explained. Call ndsim.lab.run instead.");
    module.def("lab_record", &record_of, py::arg("result"), py::arg("explanation"), py::arg("waiting"),
               "The record of a run that kept its timeline, as JSON; used by ndsim.torchrun.lab.");
}

}  // namespace sim::python
