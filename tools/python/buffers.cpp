#include "tools/python/buffers.hpp"

#include <fmt/format.h>

namespace sim::python {

namespace py = pybind11;

namespace {

std::string type_name(const py::object& object) {
    return py::str(py::type::handle_of(object).attr("__name__"));
}

void refuse_buffer(const Py_buffer& view, const char* what) {
    if (view.format != nullptr && std::string(view.format).find('O') != std::string::npos) {
        throw py::type_error(
            fmt::format("{} cannot take an array of Python objects: they are addresses, which mean nothing to another "
                        "process; give the array a numeric dtype",
                        what));
    }
    if (PyBuffer_IsContiguous(&view, 'C') == 0) {
        throw py::value_error(
            fmt::format("{} needs an array without gaps, in C order; numpy.ascontiguousarray(x) makes one", what));
    }
}

}  // namespace

Buffer::Buffer(const py::object& owner, Access access, const char* what) : owner_(owner) {
    if (PyObject_CheckBuffer(owner.ptr()) == 0) {
        throw py::type_error(fmt::format("{} needs a NumPy array or another buffer, not {}", what, type_name(owner)));
    }
    if (PyObject_GetBuffer(owner.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
        throw py::error_already_set();
    }
    try {
        if (access == Access::write && view_.readonly != 0) {
            throw py::value_error(
                fmt::format("{} writes into its array, and this {} is read-only", what, type_name(owner)));
        }
        refuse_buffer(view_, what);
    } catch (...) {
        PyBuffer_Release(&view_);
        throw;
    }
}

Buffer::~Buffer() {
    PyBuffer_Release(&view_);
}

py::object elements_of_owner(const Buffer& buffer, std::size_t begin, std::size_t end) {
    const py::object& owner = buffer.owner();
    const py::slice part(static_cast<py::ssize_t>(begin), static_cast<py::ssize_t>(end), 1);
    if (py::hasattr(owner, "reshape")) {
        return owner.attr("reshape")(-1)[part];
    }
    return py::module_::import("builtins").attr("memoryview")(owner)[part];
}

}  // namespace sim::python
