// The line of the script that a thread is at: "train.py:41".
//
// It is asked for with each tensor of 1 MB. To ask Python each time takes longer than all else about such a tensor, so
// what Python has said of a piece of code, and of an instruction, is kept.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace sim::python {

class ScriptLine {
public:
    // `is_script` says of a code whether it is the script's; `line_of` names the line of an instruction in one.
    ScriptLine(unsigned long thread, pybind11::function is_script, pybind11::function line_of)
        : thread_(thread), is_script_(std::move(is_script)), line_of_(std::move(line_of)) {}

    // Of the innermost call that stands in the script; empty: none does. Requires: Python's lock is held.
    const std::string& now();

private:
    bool is_script(const pybind11::object& code);

    unsigned long thread_;
    pybind11::function is_script_;
    pybind11::function line_of_;
    // Codes are kept alive, so that their addresses stay theirs.
    std::unordered_map<PyObject*, std::pair<pybind11::object, bool>> codes_;
    std::map<std::pair<PyObject*, int>, std::string> lines_;
    std::string none_;
};

}  // namespace sim::python
