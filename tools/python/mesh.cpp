// A mesh of ranks with named axes: Mesh(dp=2, tp=4).
#include "libsim/parallel/mesh.hpp"

#include "tools/python/bindings.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

namespace {

Mesh made_mesh(const std::string& order, const py::kwargs& sizes) {
    std::vector<Axis> axes;
    for (const auto& [name, size] : sizes) {
        axes.push_back({name.cast<std::string>(), size.cast<int>()});
    }
    return Mesh(std::move(axes), order);
}

Group along(const Mesh& self, int rank, const py::args& axes) {
    std::vector<std::string> names;
    for (const py::handle& axis : axes) {
        names.push_back(axis.cast<std::string>());
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    return self.along(rank, std::span(views));
}

int rank_of(const Mesh& self, const py::kwargs& at) {
    std::vector<std::pair<std::string, int>> given;
    for (const auto& [name, index] : at) {
        given.emplace_back(name.cast<std::string>(), index.cast<int>());
    }
    std::vector<Coordinate> place;
    for (const auto& [name, index] : given) {
        place.push_back({name, index});
    }
    return self.rank_of(std::span<const Coordinate>(place));
}

std::string text_of(const Mesh& self) {
    std::string text;
    for (const Axis& axis : self.axes()) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis.name, axis.size);
    }
    return fmt::format("ndsim.Mesh({})", text);
}

}  // namespace

void bind_mesh(py::module_& module) {
    py::class_<Mesh>(module, "Mesh",
                     "The ranks as a grid: each rank has one coordinate on each named axis.\n\n"
                     "`order` names the axes from the innermost out: neighbours on the first axis are neighbouring "
                     "ranks, and so share a node.")
        .def(py::init(&made_mesh), py::arg("order") = std::string(Mesh::default_order))
        .def_property_readonly(
            "size", [](const Mesh& self) { return self.size(); }, "The number of ranks.")
        .def_property_readonly(
            "axes",
            [](const Mesh& self) {
                py::dict axes;
                for (const Axis& axis : self.axes()) {
                    axes[py::str(axis.name)] = axis.size;
                }
                return axes;
            },
            "The size of each axis.")
        .def(
            "coordinate",
            [](const Mesh& self, int rank, const std::string& axis) { return self.coordinate(rank, axis); },
            py::arg("rank"), py::arg("axis"), "The coordinate of a rank on an axis.")
        .def("rank_of", &rank_of, "The rank at these coordinates; axes left out default to 0.")
        .def("along", &along, py::arg("rank"), "The group of ranks that differ from `rank` only on these axes.")
        .def("check_world", &Mesh::check_world, py::arg("ranks"),
             "Raise ProgramError, with sizes that would fit, unless the mesh has this many ranks.")
        .def("__repr__", &text_of);
}

}  // namespace sim::python
