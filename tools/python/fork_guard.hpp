// Python's own preparations around a fork, and its lock: held while ranks are forked, free while they run.
#pragma once

#include <pybind11/pybind11.h>

namespace sim::python {

class ForkGuard {
public:
    // Requires: the lock is held.
    ForkGuard() { PyOS_BeforeFork(); }
    // In the launcher, when all ranks have been forked.
    void done() {
        is_done_ = true;
        PyOS_AfterFork_Parent();
        thread_ = PyEval_SaveThread();
    }
    // The lock is held again.
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
