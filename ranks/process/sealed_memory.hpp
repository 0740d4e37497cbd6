// Memory without a name that processes share by its descriptor, and whose size nobody can change.
//
// Boost.Interprocess maps and addresses it. Nothing else of that library is used between processes: whoever waits for
// one of its locks, conditions or queues hangs when a process that holds it is killed (docs/why.md).
#pragma once

#include <boost/interprocess/mapped_region.hpp>

#include <cstddef>

namespace sim::ranks {

enum class Writers {
    all,           // who has the descriptor may write
    those_mapped,  // nobody but who has mapped it before: others read, whatever they do with the descriptor
};

// An owner of a descriptor, and a mappable object of Boost.Interprocess.
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

// Zeroed, of that size; empty where the machine refuses, and errno says why.
Descriptor memory_of(std::size_t bytes);
// For the rest of its life. False: this machine cannot.
bool seal(const Descriptor& memory, Writers writers);
// Whether it is memory of that size, which nobody can change, and so can be read without a fault.
bool is_sealed(const Descriptor& memory, std::size_t bytes);

// Mapped for as long as it lives.
using Mapping = boost::interprocess::mapped_region;
inline bool is_mapped(const Mapping& mapping) {
    return mapping.get_size() > 0;
}
// From its first byte on. Requires: it is mapped, and large enough.
template <class Object>
Object* object_in(const Mapping& mapping) {
    return static_cast<Object*>(mapping.get_address());
}

enum class Access { read, write };
// Not mapped where the machine refuses, and errno says why.
Mapping map_memory(const Descriptor& memory, std::size_t bytes, Access access);

}  // namespace sim::ranks
