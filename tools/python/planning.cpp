// Questions that need no program: the answers of ndsim's commands.
#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/report/charts.hpp"
#include "ranks/host/stop_signal.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/sweep/question.hpp"
#include "tools/python/bindings.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <tuple>
#include <vector>

namespace sim::python {

namespace py = pybind11;

namespace {

// A list of texts or numbers as one would type it; an all-numbers list stays numbers.
config::TomlValue list_value(const py::sequence& list) {
    std::vector<double> numbers;
    std::string typed;
    bool is_text = false;
    for (const py::handle& each : list) {
        is_text = is_text || py::isinstance<py::str>(each);
        typed += (typed.empty() ? "" : ",") + py::str(each).cast<std::string>();
    }
    if (is_text) {
        return typed;
    }
    for (const py::handle& each : list) {
        numbers.push_back(each.cast<double>());
    }
    return numbers;
}

config::TomlValue value_of(const std::string& name, const py::handle& value) {
    if (py::isinstance<py::bool_>(value)) {
        return value.cast<bool>();
    }
    if (py::isinstance<py::int_>(value)) {
        return value.cast<std::int64_t>();
    }
    if (py::isinstance<py::float_>(value)) {
        return value.cast<double>();
    }
    if (py::isinstance<py::str>(value)) {
        return value.cast<std::string>();
    }
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
        return list_value(py::reinterpret_borrow<py::sequence>(value));
    }
    throw py::type_error(fmt::format("{} must be a number, a text, True, False or a list, not {}", name,
                                     py::str(py::type::handle_of(value).attr("__name__")).cast<std::string>()));
}

// None stands for an option that was not given.
config::Given given_of(const py::dict& options) {
    config::Given given;
    for (const auto& [key, value] : options) {
        std::string name = key.cast<std::string>();
        std::replace(name.begin(), name.end(), '_', '-');
        if (!value.is_none()) {
            given.emplace(name, value_of(key.cast<std::string>(), value));
        }
    }
    return given;
}

// The commands that Python asks.
constexpr std::array asked{&tools::train_command,   &tools::memory_command,  &tools::plan_command,
                           &tools::sweep_here,      &tools::goodput_command, &tools::collective_command,
                           &tools::hardware_command};

// A command's answer: as --json prints it, as text, and as the picture that it draws in a notebook.
struct AnswerForms {
    std::string json;
    command_line::Report forms;

    std::string text() const { return forms.text(); }
    std::string picture() const { return forms.plot ? forms.plot() : forms.picture ? forms.picture() : ""; }
};

AnswerForms answer(const std::string& name, const py::dict& options) {
    const auto command = std::find_if(asked.begin(), asked.end(), [&](const auto* each) { return each->name == name; });
    const config::Given given = given_of(options);
    AnswerForms answer;
    int signal = 0;
    {
        const py::gil_scoped_release release;
        const ranks::StopSignal stop;
        auto [forms, complaint, exit_code] =
            answer_of(**command, given, {.should_stop = [&] { return stop.received() != 0; }});
        answer.forms = std::move(forms);
        // Without forms there is only a complaint, such as of numbers that a check has found wrong.
        if (!answer.forms.json) {
            throw ProgramError(complaint);
        }
        answer.json = answer.forms.json();
        signal = stop.received();
    }
    if (signal != 0) {
        std::raise(signal);  // Python's own handler is installed again
        if (PyErr_CheckSignals() != 0) {
            throw py::error_already_set();
        }
    }
    return answer;
}

using Part = std::tuple<std::string, double, std::string>;
using Bar = std::tuple<std::string, double, std::vector<Part>>;

std::string share_bars(const std::string& title, const std::vector<Bar>& bars) {
    std::vector<report::ShareBar> drawn;
    for (const auto& [name, whole, parts] : bars) {
        drawn.push_back({.title = name, .whole = whole, .parts = {}});
        for (const auto& [part, value, amount] : parts) {
            drawn.back().parts.push_back({part, value, amount, ""});
        }
    }
    return report::svg_of(title, drawn);
}

}  // namespace

void bind_planning(py::module_& module) {
    py::class_<AnswerForms>(module, "AnswerForms", "The answer of an ndsim command, in each of its forms.")
        .def_readonly("json", &AnswerForms::json, "The JSON that --json prints.")
        .def("text", &AnswerForms::text, "The text that the command prints.")
        .def("picture", &AnswerForms::picture, "An SVG file; empty if there is nothing to draw.");
    module.def("answer", &answer, py::arg("command"), py::arg("options"), "The answer of an ndsim command.");
    module.def("share_bars", &share_bars, py::arg("title"), py::arg("bars"),
               "Stacked bars as an SVG file. `bars`: the title, total and parts of each bar, and for each part its "
               "name, its value, and its value as text.");
}

}  // namespace sim::python
