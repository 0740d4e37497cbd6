// Python's own preparations around a fork, and its lock, which is held while ranks are forked and released while they
// run.
#pragma once

#include <pybind11/pybind11.h>

namespace sim::python {

class ForkGuard {
public:
    // Requires: Python's lock is held.
    ForkGuard() { PyOS_BeforeFork(); }
    // Called in the launcher when all ranks have been forked.
    void done() {
        is_done_ = true;
        PyOS_AfterFork_Parent();
        thread_ = PyEval_SaveThread();
    }
    // Takes the lock again.
    ~ForkGuard() {
        if (!is_done_) {
            PyOS_AfterFork_Parent();
        } else {
            PyEval_RestoreThread(thread_);
        }
    }
    ForkGuard(const ForkGuard&) = delete;
    ForkGuard& operator=(const ForkGuard&) = delete;

private:
    bool is_done_ = false;
    PyThreadState* thread_ = nullptr;
};

}  // namespace sim::python
