// to_program makes rank programs of a GOAL schedule, so that it runs on any of our networks.
//
// CPU 0 is the program, and the only one that computes; CPU 1, 2, … are streams. A rank issues its operations in the
// order of the text, but never before those that they wait for, and those of CPUs other than 0 as soon as possible. An
// operation of CPU 0 that the next one there does not wait for is asynchronous, and a calc of 0 only waits. A schedule
// written by write_down() of from_program.hpp takes as long as the original program, on every network.
// from_program.hpp made of a program takes as long as the program did, on every network.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/gpu.hpp"
#include "libsim/interop/goal/schedule.hpp"

#include <stdexcept>

namespace sim::goal {

// The meaning of a schedule's numbers.
struct GoalUnits {
    Measure sizes = Measure::bytes;  // units: a byte of the schedule is a billionth of a unit
    Duration time{1};                // one unit of its time
};

// An operation that no rank program can express.
class NoProgram : public std::invalid_argument {
public:
    NoProgram(OpIndex op, const std::string& why) : std::invalid_argument(why), op_(op) {}
    OpIndex op() const { return op_; }

private:
    OpIndex op_;
};

// A copy of `cluster` in which computations take a picosecond per FLOP on every rank, whatever they took before.
Cluster with_time_as_work(Cluster cluster);

// The program, for a cluster of with_time_as_work(). `schedule` must outlive it. Throws NoProgram, at once or when run,
// for receives from any rank or with any tag, calcs on CPUs other than 0, operations that wait for the start of one on
// a CPU other than 0, a message whose ends name different CPUs, more than 63 CPUs, operations that wait for each other,
// and times of more than 2^63 ps. Cost: O((operations + dependencies) log operations).
Program program_of(const GoalSchedule& schedule, const GoalUnits& units = {});

}  // namespace sim::goal
