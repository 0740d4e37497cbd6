// Call sites record where in its program a rank began each of its last ops, so that a deadlock can be described by
// lines of a file. They are in memory that rank processes share with their launcher.
#pragma once

#include "libsim/port.hpp"
#include "ranks/lab/record.hpp"

#include <boost/interprocess/mapped_region.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sim::lab {

// The origin of a call, innermost frame first: return addresses in C++, one line number in Python; 0 ends it.
using CallSite = std::array<std::uint64_t, 16>;
// Fills in the current position of the rank's program.
using FindCallSite = std::function<void(CallSite& site)>;

class CallSites {
public:
    // Throws std::bad_alloc if there is no memory. Must be called before ranks are forked.
    CallSites(int ranks, FindCallSite find);

    // A port for a rank that records each op's call site and passes the op on: LaunchOptions::port_between.
    std::unique_ptr<Port> before(Port& port);

    // All 0 if unknown because the op is too old.
    CallSite of(int rank, std::uint32_t op_number) const;

    // The number of the rank's last op; none before its first.
    std::optional<std::uint32_t> last_op(int rank) const;

private:
    friend class NotingPort;
    struct Noted {
        std::uint32_t op_number;
        bool is_there;
        CallSite site;
    };
    static constexpr std::uint32_t kept = 1024;  // per rank
    Noted& place(int rank, std::uint32_t op_number) const;

    FindCallSite find_;
    boost::interprocess::mapped_region memory_;  // of all ranks, one after the other
};

// A FindCallSite: the return addresses of the active calls.
void find_return_addresses(CallSite& site);

// A rank that hangs does so after its last op, which becomes the fault's, so that its line is told. Nothing for other
// faults.
void add_last_op(ranks::Fault& fault, const CallSites& sites);

// The C++ source lines of call sites in this process, with binutils' addr2line and debug information: the innermost
// call of each site that is in `file` (compared by its last component); if there is none, or no addr2line, the line is
// unknown. Starts one process.
std::vector<Line> source_lines(const std::vector<CallSite>& sites, const std::string& file);

}  // namespace sim::lab
