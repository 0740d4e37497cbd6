#include "tools/python/script_line.hpp"

#include <pybind11/pybind11.h>

namespace sim::python {

namespace py = pybind11;

namespace {

// Needed because PyTorch's backward pass runs in a thread of its own while the script's thread waits for it.
PyThreadState* state_of(unsigned long thread) {
    PyThreadState* const current = PyThreadState_Get();
    if (current->thread_id == thread) {
        return current;
    }
    PyThreadState* state = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
    while (state != nullptr && state->thread_id != thread) {
        state = PyThreadState_Next(state);
    }
    return state;
}

template <class Made>
py::object owned(Made* made) {
    return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(made));
}

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

bool ScriptLine::is_script(const py::object& code) {
    if (const auto known = codes_.find(code.ptr()); known != codes_.end()) {
        return known->second.second;
    }
    // Another thread may enter while this runs.
    const bool is = is_script_(code).cast<bool>();
    return codes_.try_emplace(code.ptr(), code, is).first->second.second;
}

const std::string& ScriptLine::now() {
    PyThreadState* const state = state_of(thread_);
    py::object frame = state == nullptr ? py::object() : owned(PyThreadState_GetFrame(state));
    while (frame) {
        auto* const raw = reinterpret_cast<PyFrameObject*>(frame.ptr());
        const py::object code = owned(PyFrame_GetCode(raw));
        if (is_script(code)) {
            const int instruction = frame.attr("f_lasti").cast<int>();
            const std::pair place(code.ptr(), instruction);
            if (const auto known = lines_.find(place); known != lines_.end()) {
                return known->second;
            }
            return lines_.try_emplace(place, line_of_(code, instruction).cast<std::string>()).first->second;
        }
        frame = owned(PyFrame_GetBack(raw));
    }
    return none_;
}

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
