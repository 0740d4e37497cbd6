// This header provides unnamed memory that processes share by descriptor and whose size nobody can change.
//
// Boost.Interprocess maps and addresses it. Nothing else of that library is used between processes: a process that
// waits for one of its locks, conditions or queues hangs if the process that holds it is killed (docs/why.md).
#pragma once

#include <boost/interprocess/mapped_region.hpp>

#include <cstddef>

namespace sim::ranks {

enum class Writers {
    all,           // every holder of the descriptor may write
    those_mapped,  // only processes that mapped it before may write; others read, whatever they do with the descriptor
};

// Owns a descriptor, and is a mappable object for Boost.Interprocess.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            number_ = other.release();
        }
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number() const { return number_; }  // -1: none
    explicit operator bool() const { return number_ >= 0; }
    boost::interprocess::mapping_handle_t get_mapping_handle() const { return {number_, false}; }
    int release();
    void reset();

private:
    int number_;
};

// Zeroed memory of that size; empty if the machine refuses, with the reason in errno.
Descriptor memory_of(std::size_t bytes);
// Seals the memory permanently. False: this machine cannot.
bool seal(const Descriptor& memory, Writers writers);
// Whether it is memory of that fixed size, which can therefore be read without a fault.
bool is_sealed(const Descriptor& memory, std::size_t bytes);

// Mapped during its lifetime.
using Mapping = boost::interprocess::mapped_region;
inline bool is_mapped(const Mapping& mapping) {
    return mapping.get_size() > 0;
}
// The object at the start of the mapping. Requires: it is mapped, and large enough.
template <class Object>
Object* object_in(const Mapping& mapping) {
    return static_cast<Object*>(mapping.get_address());
}

enum class Access { read, write };
// Not mapped if the machine refuses, with the reason in errno.
Mapping map_memory(const Descriptor& memory, std::size_t bytes, Access access);

}  // namespace sim::ranks
