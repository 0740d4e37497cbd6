// Groups of ranks, for collectives among some of them.
#include "tools/python/bindings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

void bind_groups(py::module_& module) {
    py::class_<Group>(module, "Group",
                      "An ordered set of ranks: the members of a collective, and their order in a ring.")
        .def_static("strided", &Group::strided, py::arg("first"), py::arg("stride"), py::arg("count"),
                    "The ranks first, first + stride, …")
        .def_static("of", &Group::of, py::arg("ranks"), "The ranks of a list, in its order.")
        .def_static(
            "world", [](int ranks) { return Group::strided(0, 1, ranks); }, py::arg("ranks"), "The ranks 0, 1, …")
        .def("standing_for", &Group::standing_for, py::arg("whole"),
             "The same members in the place of a larger group: collectives by size that they carry out alone cost what "
             "they "
             "cost `whole`, on a machine.")
        .def_property_readonly("ranks", &Group::ranks, "The members, in order.")
        .def("index_of", &Group::index_of, py::arg("rank"), "The place of a rank in the group; -1: it is no member.")
        .def("right_of", &Group::right_of, py::arg("rank"), "The next member, around the ring.")
        .def("left_of", &Group::left_of, py::arg("rank"), "The previous member, around the ring.")
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
