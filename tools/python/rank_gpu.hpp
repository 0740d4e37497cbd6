// A rank's GPU as its Python program holds it, and the handle of what it has started.
//
// Python's lock is free while a call waits for the simulator: other threads of the rank go on.
#pragma once

#include "libsim/gpu.hpp"
#include "tools/python/buffers.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <utility>

namespace sim::python {

// It lives as long as the rank's process.
struct RankGPU {
    GPU* gpu = nullptr;
};

template <class Call>
auto without_lock(Call&& call) {
    const pybind11::gil_scoped_release release;
    return std::forward<Call>(call)();
}

// An asynchronous op, or all that a block on a stream has started.
struct RankHandle {
    GPU* gpu = nullptr;
    std::optional<Handle> handle;       // none: the block has not ended
    std::shared_ptr<Buffer> into = {};  // of a receive with data
    bool joined = false;
    std::optional<BroughtData> brought = {};  // to take, of a collective with data beside it

    // Throws ProgramError where it cannot be joined, or not any more.
    const Handle& still_open() const;
    // What was received; None: nothing, or time only.
    pybind11::object wait();
    bool test();
};

// Throws ProgramError for a number that no stream has.
Stream stream_numbered(int number);

}  // namespace sim::python
