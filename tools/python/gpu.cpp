// The GPU of a rank: computing, memory, logs, reports and queries. Messages and collectives have files of their own.
#include "tools/python/amounts.hpp"
#include "tools/python/bindings.hpp"

#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

namespace {

using Amount = std::optional<double>;

void compute(const RankGPU& self, std::string_view label, Amount units, Amount flops, Amount seconds) {
    const Work work = work_needed(units, flops, seconds);
    without_lock([&] { self.gpu->compute(label, work); });
}

std::shared_ptr<RankHandle> compute_async(const RankGPU& self, std::string_view label, Amount units, Amount flops,
                                          Amount seconds) {
    const Work work = work_needed(units, flops, seconds);
    const Handle handle = without_lock([&] { return self.gpu->compute_async(label, work); });
    return std::make_shared<RankHandle>(RankHandle{.gpu = self.gpu, .handle = handle});
}

void report(const RankGPU& self, std::string_view name, const py::object& values) {
    const bool is_one =
        py::isinstance<py::float_>(values) || py::isinstance<py::int_>(values) || !py::hasattr(values, "__len__");
    const auto numbers = is_one ? std::vector<double>{values.cast<double>()} : values.cast<std::vector<double>>();
    without_lock([&] { self.gpu->report(name, numbers); });
}

}  // namespace

GpuClass bind_gpu(py::module_& module) {
    GpuClass gpu(
        module, "GPU",
        "One simulated GPU, as seen by its rank's program.\n\n"
        "Every call costs simulated time and no wall time. Calls that return nothing to the program only record "
        "the operation; now() and calls that return data wait until the simulator has reached that point.");
    const auto units = py::arg("units") = py::none();
    const auto flops = py::arg("flops") = py::none();
    const auto time = py::arg("seconds") = py::none();
    const auto bytes = py::arg("bytes") = py::none();
    gpu.def_property_readonly(
           "rank", [](const RankGPU& self) { return self.gpu->rank(); }, "This rank's number, from 0.")
        .def_property_readonly(
            "world_size", [](const RankGPU& self) { return self.gpu->world_size(); }, "The number of ranks.")
        .def_property_readonly(
            "world", [](const RankGPU& self) { return world(*self.gpu); }, "The group of all ranks.")
        .def("compute", &compute, py::arg("label") = "", units, flops, time,
             "Compute for the time that the cluster charges for units= or flops=, or for seconds=, times this rank's "
             "slowdown.")
        .def("compute_async", &compute_async, py::arg("label") = "", units, flops, time,
             "Like compute(), but asynchronous: it starts now, and wait() joins it.")
        .def(
            "now", [](const RankGPU& self) { return seconds(without_lock([&] { return self.gpu->now(); })); },
            "Simulated seconds since the start of the run.")
        .def(
            "log",
            [](const RankGPU& self, const py::object& text) {
                const std::string line = py::str(text);
                without_lock([&] { self.gpu->log(line); });
            },
            py::arg("text"), "Add a line to the run's log, at this rank's time. Takes no simulated time.")
        .def("report", &report, py::arg("name"), py::arg("values"),
             "Pass one or more numbers to the launcher: Result.reports[name][rank]. The last report of a name wins.")
        .def(
            "allocate",
            [](const RankGPU& self, std::string_view label, Amount of_units, Amount of_bytes) {
                const Size size = size_needed("allocate", of_units, of_bytes);
                without_lock([&] { self.gpu->allocate(label, size); });
            },
            py::arg("label") = "", units, bytes,
            "Allocate memory on this GPU; peak_bytes and peak_units of the result show the peak. It takes no time.")
        .def(
            "release",
            [](const RankGPU& self, std::string_view label, Amount of_units, Amount of_bytes) {
                const Size size = size_needed("release", of_units, of_bytes);
                without_lock([&] { self.gpu->release(label, size); });
            },
            py::arg("label") = "", units, bytes, "Free memory. Freeing more than is allocated ends the run.")
        .def("__repr__", [](const RankGPU& self) {
            return py::str("<ndsim.GPU: rank {} of {}>").format(self.gpu->rank(), self.gpu->world_size());
        });
    return gpu;
}

}  // namespace sim::python
