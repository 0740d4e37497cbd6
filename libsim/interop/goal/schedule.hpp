// A GOAL schedule lists what every rank sends, receives and calculates, and which operations wait for which.
//
// Operations are numbered in the order of the text, rank by rank. An operation takes 32 bytes, and each dependent 4.
// Source: Hoefler, Siebert & Lumsdaine, Group Operation Assembly Language, ICPP (2009); text.hpp defines the text form.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sim::goal {

using OpIndex = std::uint32_t;
inline constexpr OpIndex most_ops = (1U << 31U) - 1;
inline constexpr std::uint32_t most_ranks = 1U << 24U;

// In the order in which operations that become free at the same instant begin.
enum class GoalOpKind : std::uint8_t { send, receive, calc };

// Wildcard for a receive's peer or tag, and for a send's tag; such a message matches a receive with any tag.
inline constexpr std::uint32_t any = UINT32_MAX;

struct GoalOp {
    std::int64_t size = 0;   // bytes; time for a calc
    std::uint32_t rank = 0;  // the rank that executes it
    std::uint32_t peer = 0;  // destination or source
    std::uint32_t tag = 0;
    std::uint32_t first_dependent = 0;  // index into GoalSchedule::dependents
    std::uint32_t dependents = 0;       // count
    GoalOpKind kind = GoalOpKind::calc;
    std::uint8_t cpu = 0;
    std::uint8_t nic = 0;
};

// A waiting operation, and whether it waits for another's start (irequires) or its end (requires).
class Dependent {
public:
    Dependent() = default;
    Dependent(OpIndex op, bool on_start) : bits_(op | (on_start ? start_bit : 0)) {}
    OpIndex op() const { return bits_ & ~start_bit; }
    bool on_start() const { return (bits_ & start_bit) != 0; }

private:
    static constexpr std::uint32_t start_bit = 1U << 31U;
    std::uint32_t bits_ = 0;
};

// Half-open range of operations [begin, end).
struct OpRange {
    OpIndex begin = 0;
    OpIndex end = 0;
};

// Requires of its maker (builder.hpp): peers are ranks of the schedule, or `any` for a receive.
struct GoalSchedule {
    std::vector<OpRange> ranks;
    std::vector<GoalOp> ops;
    std::vector<Dependent> dependents;  // per operation: waits for its start before waits for its end
    int cpus = 1;                       // per rank: the highest number in use plus one
    int nics = 1;

    std::span<const Dependent> dependents_of(const GoalOp& op) const {
        return {dependents.data() + op.first_dependent, op.dependents};
    }
    std::span<const Dependent> dependents_of(OpIndex op) const { return dependents_of(ops[op]); }
};

}  // namespace sim::goal
