// Here is a world of one rank that is the calling thread, for a program that cannot be a function of a launcher: a
// notebook, or a script that may still start ranks of its own.
//
// Its ops are simulated in this thread, when it waits for an answer or many are posted: without a process, a stack, or
// a watchdog. Its timeline is that of the same program as a rank of launch().
#pragma once

#include "libsim/gpu.hpp"
#include "ranks/launch.hpp"

#include <memory>

namespace sim::ranks {

class Here {
public:
    // Throws std::invalid_argument as launch() does. Requires: one rank, in virtual time.
    explicit Here(LaunchOptions options);
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;
    ~Here();

    // Once the run can never go on, every call through it throws ProgramError; Result::fault gives the reason.
    GPU& gpu();
    // The result of the run up to now; the run goes on.
    Result so_far();
    // Ends the program. Requires: gpu() is not used from here on.
    Result end();

private:
    class World;
    std::unique_ptr<World> world_;
};

}  // namespace sim::ranks
