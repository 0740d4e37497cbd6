// Formats amounts as ndsim prints them, so that Python's tables read like those of the commands.
#include "libsim/report/amounts.hpp"
#include "tools/python/bindings.hpp"

namespace sim::python {

namespace py = pybind11;

void bind_printed_amounts(py::module_& module) {
    module.def("time_text", py::overload_cast<double>(&report::time_text), py::arg("seconds"));
    module.def("bytes_text", py::overload_cast<double>(&report::bytes_text), py::arg("bytes"));
    module.def("percent_text", &report::percent_text, py::arg("share"));
}

}  // namespace sim::python
