// from_program writes the ops of a program as a GOAL schedule: each rank's computations, sends and receives, and their
// dependencies.
//
//   compute              calc of its time on the cluster, in picoseconds
//   send, receive        send, recv; a collective by its size is the messages of its schedule
//   stream               the CPU and NIC of its own number, in the order of the streams in use
//   wait, handle         a calc of 0 on the CPU that waits
//   asynchronous op      an operation that the next one of its CPU does not wait for
//   tag                  the same on the main stream; tags of other streams are numbered after them, and those of
//                        collectives from 2^31, so that no message meets another stream's receive
// Operations are in the order in which the program issued them. Labels, memory and log are left out.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/interop/goal/schedule.hpp"
#include "libsim/replay/recording.hpp"

namespace sim::goal {

// Tags from here on belong to messages within collectives, which do not wait for their receivers.
inline constexpr std::uint32_t first_collective_tag = 1U << 31U;

struct WrittenProgram {
    GoalSchedule schedule;
    Measure sizes = Measure::bytes;  // units: message sizes are billionths of a unit
};

// `cluster` is the one that the program ran on. Throws ProgramError for messages in bytes and in units on a network
// that prices both, and for a group that represents a larger one.
// Cost: O(operations log streams).
WrittenProgram write_down(const replay::Recording& program, const Cluster& cluster);

}  // namespace sim::goal
