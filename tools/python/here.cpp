// This process as the only rank of a world, for programs that no launcher calls.
#include "ranks/here.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/run_settings.hpp"

#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

namespace {

class HereRank {
public:
    explicit HereRank(const Settings& settings) : settings_(settings), here_(options_of(settings)) {}
    HereRank(const HereRank&) = delete;
    HereRank& operator=(const HereRank&) = delete;

    ranks::Here& here() { return here_; }
    std::shared_ptr<RunResult> answer(ranks::Result result) {
        run_.result = std::move(result);
        complete(run_, settings_);
        return std::make_shared<RunResult>(run_);
    }

private:
    ranks::LaunchOptions options_of(const Settings& settings) {
        ranks::LaunchOptions options = launch_options(settings);
        begin(run_, settings, options);
        return options;
    }

    Settings settings_;
    RunResult run_;
    ranks::Here here_;
};

}  // namespace

void bind_here(py::module_& module) {
    py::class_<HereRank>(module, "Here", "This process as the only rank of a world; it simulates its own ops.")
        .def(py::init([](const std::string& machine, bool timeline, const std::string& title,
                         const std::vector<std::string>& faults) {
                 return std::make_unique<HereRank>(Settings{.machine = machine,
                                                            .profile = py::none(),
                                                            .time_scale = std::nullopt,
                                                            .keeps_timeline = timeline,
                                                            .title = title,
                                                            .faults = faults});
             }),
             py::kw_only(), py::arg("machine"), py::arg("timeline"), py::arg("title"), py::arg("faults"))
        .def_property_readonly(
            "gpu", py::cpp_function([](HereRank& self) { return RankGPU{&self.here().gpu()}; }, py::keep_alive<0, 1>()),
            "The rank's GPU.")
        .def(
            "so_far", [](HereRank& self) { return self.answer(self.here().so_far()); },
            "The run so far, which continues.")
        .def(
            "end", [](HereRank& self) { return self.answer(self.here().end()); },
            "The finished run, once the program has returned.");
}

}  // namespace sim::python
