#include "tools/python/call_lines.hpp"

#include <pybind11/pybind11.h>

namespace sim::python {

namespace py = pybind11;

namespace {

// The line of the innermost call in `file`. Needs Python's lock, for reference counts.
void find_line(const std::string& file, lab::CallSite& site) {
    const py::gil_scoped_acquire lock;
    PyFrameObject* frame = PyEval_GetFrame();
    Py_XINCREF(frame);
    while (frame != nullptr) {
        PyCodeObject* const code = PyFrame_GetCode(frame);
        const char* const name = PyUnicode_AsUTF8(code->co_filename);
        const bool is_there = name != nullptr && file == name;
        Py_DECREF(code);
        if (is_there) {
            site[0] = static_cast<std::uint64_t>(PyFrame_GetLineNumber(frame));
            break;
        }
        PyFrameObject* const outer = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = outer;
    }
    Py_XDECREF(frame);
}

}  // namespace

lab::CallSites call_lines(int ranks, const std::string& file) {
    return {ranks, [file](lab::CallSite& site) { find_line(file, site); }};
}

std::vector<lab::Line> lines_of(const ranks::Fault& fault, const lab::CallSites& sites, const std::string& file) {
    const std::string name = file.substr(file.rfind('/') + 1);
    std::vector<lab::Line> lines;
    for (const kernel::WrongOp& op : fault.ops) {
        const auto line = static_cast<int>(sites.of(op.rank, op.op_number)[0]);
        lines.push_back({line > 0 ? name : "", line});
    }
    return lines;
}

}  // namespace sim::python
