// A rank's GPU as its Python program holds it, and the handle of an operation that it started.
//
// Python's lock is released while a call waits for the simulator, so that other threads of the rank keep running.
#pragma once

#include "libsim/gpu.hpp"
#include "tools/python/buffers.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <utility>

namespace sim::python {

// Lives as long as the rank's process.
struct RankGPU {
    GPU* gpu = nullptr;
};

template <class Call>
auto without_lock(Call&& call) {
    const pybind11::gil_scoped_release release;
    return std::forward<Call>(call)();
}

// An asynchronous op, or everything that a block on a stream started.
struct RankHandle {
    GPU* gpu = nullptr;
    std::optional<Handle> handle;       // empty while the block has not ended
    std::shared_ptr<Buffer> into = {};  // for a receive with data
    bool joined = false;
    std::optional<BroughtData> brought = {};  // for a collective that carries its data separately

    // Throws ProgramError if the block has not ended, or if it was joined already.
    const Handle& still_open() const;
    // Returns the received array; None if nothing was received, or only time was simulated.
    pybind11::object wait();
    bool test();
};

// Throws ProgramError for an invalid stream number.
Stream stream_numbered(int number);

}  // namespace sim::python
