// The line of the script that a thread is executing: "train.py:41".
//
// It is looked up for each tensor of at least 1 MB. Asking Python each time would dominate the cost of such a tensor,
// so the answers for each code object and instruction are cached.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace sim::python {

class ScriptLine {
public:
    // `is_script` tells whether a code object is the script's; `line_of` names the line of an instruction in one.
    ScriptLine(unsigned long thread, pybind11::function is_script, pybind11::function line_of)
        : thread_(thread), is_script_(std::move(is_script)), line_of_(std::move(line_of)) {}

    // The line of the innermost call in the script; empty if there is none. Requires: Python's lock is held.
    const std::string& now();

private:
    bool is_script(const pybind11::object& code);

    unsigned long thread_;
    pybind11::function is_script_;
    pybind11::function line_of_;
    // Keeps the code objects alive, so that their addresses are not reused.
    std::unordered_map<PyObject*, std::pair<pybind11::object, bool>> codes_;
    std::map<std::pair<PyObject*, int>, std::string> lines_;
    std::string none_;
};

}  // namespace sim::python
