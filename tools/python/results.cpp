// Results of runs: totals, timelines as columns, text, pictures, pages and traces.
#include "libsim/config/errors.hpp"
#include "libsim/report/page/page.hpp"
#include "libsim/report/svg_timeline.hpp"
#include "libsim/report/text_timeline.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/trace_output.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/run_result.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;
using namespace py::literals;

const report::Timeline& RunResult::kept() const {
    if (!has_timeline) {
        throw config::UsageError("this run kept no timeline: launch it with timeline=True");
    }
    return timeline;
}

namespace {

std::string summary(const RunResult& self) {
    return fmt::format("{} rank{}, {:.6g} s simulated, {:.3g} s wall, {} messages", self.timeline.ranks,
                       self.timeline.ranks == 1 ? "" : "s", seconds(self.result.end), self.result.wall_seconds,
                       self.result.messages);
}

std::string text_of(const RunResult& self, int width, bool ascii, bool colour) {
    return report::text_timeline(self.kept(), {.width = width, .colour = colour, .ascii = ascii});
}

std::string html_of(const RunResult& self) {
    return "<div><p>" + summary(self) + "</p>" + report::svg_timeline(self.kept()) + "</div>";
}

void save_page(const RunResult& self, const std::string& file) {
    command_line::write_output(file, [&](std::ostream& out) { report::write_page(out, self.kept()); });
}

void save_svg(const RunResult& self, const std::string& file) {
    command_line::write_output(file, [&](std::ostream& out) { out << report::svg_timeline(self.kept()); });
}

using StepTuple = std::tuple<int, std::string, std::int64_t, std::int64_t>;

void describe(RunResult& self, std::string answer, std::string verdict, const py::list& steps) {
    report::Timeline& timeline = self.timeline;
    std::vector<report::TrainingStep> found;
    for (const auto& [row, name, begin, end] : steps.cast<std::vector<StepTuple>>()) {
        const bool follows =
            found.empty() || std::pair(found.back().rank, found.back().end) <= std::pair(row, Time{Duration{begin}});
        if (row < 0 || row >= timeline.ranks || begin < 0 || end < begin || !follows) {
            throw config::UsageError(
                fmt::format("{} of row {}, from {} to {} ps: steps must be of ranks that ran, and one after the other",
                            name, row, begin, end));
        }
        found.push_back({row, name, Time{Duration{begin}}, Time{Duration{end}}});
    }
    timeline.answer = std::move(answer);
    timeline.verdict = std::move(verdict);
    timeline.steps = std::move(found);
}

double units_of(std::int64_t billionths) {
    return Units::from_billionths(billionths).value();
}

void bind_totals(py::module_& module) {
    py::class_<RankTotals>(module, "RankTotals",
                           "The simulated seconds of a rank: compute, communication and idle add up to the run's.")
        .def_property_readonly("compute", [](const RankTotals& t) { return seconds(t.compute); })
        .def_property_readonly("communication", [](const RankTotals& t) { return seconds(t.communication); })
        .def_property_readonly("idle", [](const RankTotals& t) { return seconds(t.idle); })
        .def_property_readonly("idle_in_collectives",
                               [](const RankTotals& t) { return seconds(t.idle_in_collectives); })
        .def_property_readonly("end", [](const RankTotals& t) { return seconds(t.end); })
        .def_readonly("bytes_sent", &RankTotals::bytes_sent)
        .def_property_readonly("units_sent", [](const RankTotals& t) { return units_of(t.billionths_sent); })
        .def_readonly("messages_sent", &RankTotals::messages_sent)
        .def_readonly("peak_bytes", &RankTotals::peak_bytes)
        .def_property_readonly("peak_units", [](const RankTotals& t) { return units_of(t.peak_billionths); })
        .def_readonly("ops", &RankTotals::ops)
        .def("__repr__", [](const RankTotals& t) {
            return fmt::format("<ndsim.RankTotals: compute {:.6g} s, communication {:.6g} s, idle {:.6g} s>",
                               seconds(t.compute), seconds(t.communication), seconds(t.idle));
        });
}

const char* kind_of(const ranks::Fault& fault) {
    using ranks::Failure;
    using ranks::Mistake;
    switch (fault.failure) {
        case Failure::rank_died: return "RankDied";
        case Failure::rank_hung: return "RankHung";
        case Failure::machine_limit: return "MachineLimit";
        case Failure::interrupted: return "Interrupted";
        case Failure::out_of_range:
        case Failure::mismatch_or_deadlock: break;
    }
    return fault.mistake == Mistake::deadlock   ? "DeadlockError"
           : fault.mistake == Mistake::mismatch ? "MismatchError"
                                                : "ProgramError";
}

void bind_fault(py::module_& module) {
    py::class_<ranks::Fault>(module, "Fault", "Why a run ended early.")
        .def_property_readonly("kind", &kind_of, "The name of the exception raised for it.")
        .def_readonly("rank", &ranks::Fault::rank)
        .def_readonly("signal", &ranks::Fault::signal)
        .def_property_readonly("message", [](const ranks::Fault& fault) {
            return py::reinterpret_steal<py::object>(
                PyUnicode_DecodeUTF8(fault.message.data(), static_cast<py::ssize_t>(fault.message.size()), "replace"));
        });
}

using ResultClass = py::class_<RunResult, std::shared_ptr<RunResult>>;

// Returns None if the rank has fewer than two steps.
py::object steady_steps_of(const RunResult& self, int rank) {
    const auto steady = self.steps ? self.steps->steady(rank) : std::nullopt;
    if (!steady) {
        return py::none();
    }
    py::list computing;
    py::list communicating;
    for (const auto& [activity, time] : steady->of) {
        if (activity.computes()) {
            computing.append(py::make_tuple(name_of(category_of(activity)), time.count()));
        } else {
            communicating.append(py::make_tuple(name_of(static_cast<CollectiveKind>(activity.collective)),
                                                activity.members, activity.crosses_nodes, time.count()));
        }
    }
    return py::dict("steps"_a = steady->steps, "picoseconds"_a = steady->time.count(), "computing"_a = computing,
                    "communicating"_a = communicating);
}

void bind_numbers(ResultClass& result) {
    result
        .def_property_readonly(
            "seconds", [](const RunResult& self) { return seconds(self.result.end); },
            "Simulated seconds until the last rank ended.")
        .def_property_readonly(
            "picoseconds", [](const RunResult& self) { return self.result.end.time_since_epoch().count(); },
            "The exact value of `seconds`.")
        .def_property_readonly(
            "wall_seconds", [](const RunResult& self) { return self.result.wall_seconds; },
            "The run's wall-clock seconds.")
        .def_property_readonly(
            "timeline_sha256", [](const RunResult& self) { return self.result.timeline_sha256; },
            "Equal for equal timelines, in every run, on every machine, from C++ and from Python.")
        .def_property_readonly(
            "ranks", [](const RunResult& self) { return self.result.ranks; }, "The totals of each rank.")
        .def_property_readonly(
            "messages", [](const RunResult& self) { return self.result.messages; }, "The number of messages sent.")
        .def_property_readonly(
            "ops", [](const RunResult& self) { return self.result.ops; }, "The number of operations of all ranks.")
        .def_property_readonly(
            "pids", [](const RunResult& self) { return self.result.pids; }, "The process ID of each rank.")
        .def("steady_steps", &steady_steps_of, py::arg("rank"),
             "The time of a rank's steps by activity, without the first; None for fewer than two. A dict: the steps, "
             "their picoseconds, of which computing (category, picoseconds) and, while nothing was computed, "
             "communicating (kind, members, whether they cross nodes, picoseconds).")
        .def_property_readonly(
            "reports", [](const RunResult& self) { return self.result.reports; },
            "The numbers that ranks passed to GPU.report: a list by name, then rank.")
        .def_property_readonly(
            "fault", [](const RunResult& self) { return self.result.fault; },
            "Why the run ended early; None if it did not.");
}

}  // namespace

void bind_results(py::module_& module) {
    bind_totals(module);
    bind_fault(module);
    ResultClass result(module, "Result", "The result of a run.");
    bind_numbers(result);
    result
        .def(
            "timeline", [](const RunResult& self) { return columns_of(self.kept()); },
            "The timeline as columns: a dict of NumPy arrays and lists, for pandas.DataFrame.\n\n"
            "A row is a span: one operation of one rank. Times are whole picoseconds. A span without a peer or message "
            "has -1 there; one without an amount in a measure, or without a tag, has 0.")
        .def("text", &text_of, py::arg("width") = 100, py::kw_only(), py::arg("ascii") = false,
             py::arg("colour") = false, "The timeline as text, one row per rank and stream.")
        .def(
            "svg", [](const RunResult& self) { return report::svg_timeline(self.kept()); },
            "The timeline as an SVG picture.")
        .def(
            "save_trace",
            [](const RunResult& self, const std::string& file) { command_line::write_trace(file, self.kept()); },
            py::arg("file"), "Write the timeline as a trace, in the format of the file's extension.")
        .def("report", &save_page, py::arg("file"),
             "Write an HTML page: the timeline, its replay, and where the time went.")
        .def("save_svg", &save_svg, py::arg("file"), "Write the timeline as an SVG picture.")
        .def("describe", &describe, py::kw_only(), py::arg("answer"), py::arg("verdict"), py::arg("steps"),
             "Set what traces and pages say about the run: one JSON object, the verdict at the top of a page as in "
             "`ndsim explain --json`, and training steps: the rank's index among those that ran, name, begin and "
             "end in picoseconds, sorted by rank and time and without overlaps.")
        .def("_repr_svg_",
             [](const RunResult& self) {
                 return self.has_timeline ? py::object(py::str(report::svg_timeline(self.timeline))) : py::none();
             })
        .def("_repr_html_",
             [](const RunResult& self) { return self.has_timeline ? py::object(py::str(html_of(self))) : py::none(); })
        .def("__repr__", [](const RunResult& self) { return "<ndsim.Result: " + summary(self) + ">"; });
}

}  // namespace sim::python
