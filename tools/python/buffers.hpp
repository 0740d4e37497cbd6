// A buffer is the memory of a NumPy array, or of any other Python object that lends it: contiguous, and locked against
// resizing while the buffer exists.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <span>
#include <string>

namespace sim::python {

enum class Access { read, write };

class Buffer {
public:
    // `what` names the operation: "send", "all_reduce". Throws TypeError or ValueError, with the remedy, for an object
    // that lends no memory, memory with gaps, Python objects as elements, and writing to read-only memory.
    Buffer(const pybind11::object& owner, Access access, const char* what);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    std::span<std::byte> bytes() const {
        return {static_cast<std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
    }
    std::size_t element_size() const { return static_cast<std::size_t>(view_.itemsize); }
    std::size_t count() const { return element_size() == 0 ? 0 : bytes().size() / element_size(); }
    // In the notation of Python's struct module: "d", "<f".
    std::string format() const { return view_.format == nullptr ? "B" : view_.format; }
    const pybind11::object& owner() const { return owner_; }

private:
    pybind11::object owner_;
    Py_buffer view_{};
};

// The elements [begin, end) of a one-dimensional array or buffer: a view, not a copy.
pybind11::object elements_of_owner(const Buffer& buffer, std::size_t begin, std::size_t end);

}  // namespace sim::python
