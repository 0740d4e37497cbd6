// A world of one rank that is the thread which makes it, for a program that cannot be a function of a launcher: a
// notebook, or a script that may yet start ranks of its own.
//
// Its ops are simulated in this thread, where it waits for an answer or many of them are posted: no process, no stack,
// and no watchdog. Its timeline is that of the same program as a rank of launch().
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

    // Whatever the program asks of it throws ProgramError from where the run can never go on: Result::fault says why.
    GPU& gpu();
    // Of the run up to now, which goes on.
    Result so_far();
    // The program has returned. Requires: nothing is asked of gpu() from here on.
    Result end();

private:
    class World;
    std::unique_ptr<World> world_;
};

}  // namespace sim::ranks
