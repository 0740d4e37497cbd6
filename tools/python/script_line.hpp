// Lines of a Python script: that which a thread is executing, and those in which ranks started their operations.
//
// A thread's line, "train.py:41", is looked up for each tensor of at least 1 MB. Asking Python each time would dominate
// the cost of such a tensor, so the answers for each code object and instruction are cached.
#pragma once

#include "ranks/lab/call_sites.hpp"
#include "ranks/lab/record.hpp"

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

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

// Call sites of `ranks` ranks: each is the line of the innermost call in `file`. Call it before ranks are forked.
lab::CallSites call_lines(int ranks, const std::string& file);
// One line for each of the fault's operations; empty for an operation that was started outside the file.
std::vector<lab::Line> lines_of(const ranks::Fault& fault, const lab::CallSites& sites, const std::string& file);

}  // namespace sim::python
