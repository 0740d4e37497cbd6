// Call sites remember where in its program a rank began each of its last ops, so that a deadlock can be told in lines
// of a file. They lie in memory that ranks that are processes share with their launcher.
#pragma once

#include "libsim/port.hpp"

#include <boost/interprocess/mapped_region.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

namespace sim::lab {

// Where a call came from, the innermost first: return addresses in C++, one line number in Python; 0 ends it.
using CallSite = std::array<std::uint64_t, 16>;
// Fills in where the rank's program is now.
using FindCallSite = std::function<void(CallSite& site)>;

class CallSites {
public:
    // Throws std::bad_alloc where there is no memory. Call it before ranks are forked.
    CallSites(int ranks, FindCallSite find);

    // A port of a rank that notes each op's call site and hands the op on: LaunchOptions::port_between.
    std::unique_ptr<Port> before(Port& port);

    // All 0 where it is not known: of an op that is too long ago.
    CallSite of(int rank, std::uint32_t op_number) const;

private:
    friend class NotingPort;
    struct Noted {
        std::uint32_t op_number;
        bool is_there;
        CallSite site;
    };
    static constexpr std::uint32_t kept = 1024;  // of each rank
    Noted& place(int rank, std::uint32_t op_number) const;

    FindCallSite find_;
    boost::interprocess::mapped_region memory_;  // of every rank, one after the other
};

}  // namespace sim::lab
