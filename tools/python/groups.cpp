// Groups of ranks, for collectives among some of them.
#include "tools/python/bindings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

void bind_groups(py::module_& module) {
    py::class_<Group>(module, "Group", "An ordered set of ranks: the members of a collective in ring order.")
        .def_static("strided", &Group::strided, py::arg("first"), py::arg("stride"), py::arg("count"),
                    "The ranks first, first + stride, …")
        .def_static("of", &Group::of, py::arg("ranks"), "The ranks of a list, in list order.")
        .def_static(
            "world", [](int ranks) { return Group::strided(0, 1, ranks); }, py::arg("ranks"), "The ranks 0, 1, …")
        .def("standing_for", &Group::standing_for, py::arg("whole"),
             "The same members standing for a larger group: a collective by size that they run alone costs what it "
             "would cost `whole` on a machine.")
        .def_property_readonly("ranks", &Group::ranks, "The members, in order.")
        .def("index_of", &Group::index_of, py::arg("rank"), "The index of a rank in the group; -1 for other ranks.")
        .def("right_of", &Group::right_of, py::arg("rank"), "The next member in the ring.")
        .def("left_of", &Group::left_of, py::arg("rank"), "The previous member in the ring.")
        .def("__len__", &Group::size)
        .def("__contains__", &Group::contains, py::arg("rank"))
        .def("__iter__", [](const Group& self) { return py::iter(py::cast(self.ranks())); })
        .def(
            "__eq__", [](const Group& self, const Group& other) { return self == other; }, py::is_operator())
        .def("__hash__", [](const Group& self) { return GroupHash{}(self); })
        .def("__repr__",
             [](const Group& self) { return fmt::format("ndsim.Group.of([{}])", fmt::join(self.ranks(), ", ")); });
}

}  // namespace sim::python
