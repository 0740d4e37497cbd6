// A fiber port is the rank's end of the fiber host: it collects ops in a few slots and hands them over by switching
// stacks.
#pragma once

#include "libsim/port.hpp"
#include "ranks/fiber/break_out.hpp"
#include "ranks/fiber/fiber.hpp"
#include "ranks/host/run_port.hpp"

#include <span>

namespace sim::ranks {

// Thrown into a rank whose run is over, to unwind its stack. Not a std::exception, so that programs do not catch it.
struct RunIsOver {};

class FiberPort final : public RunPort {
public:
    // `slots`: room for ops, at least 1. Requires: all three outlive the port.
    FiberPort(int rank, Run& run, BreakOut& break_out, std::span<Op> slots);

    Answer ask(Op op) override;
    Label intern(std::string_view text) override;
    GroupId number(const Group& group) override;
    void write(std::span<const std::byte> payload) override;
    void read(std::span<std::byte> payload) override;
    std::vector<std::span<const std::byte>> gathered() override;
    void report(Label name, std::span<const double> values) override;

    // The next members are for the host.
    using Body = void (*)(FiberPort& port, void* host);
    void begin(std::span<std::byte> stack, Body body, void* host);
    Fiber fiber;
    bool threw = false;  // its program threw: it never runs again
    // Ops posted but not yet taken by the kernel.
    std::span<const Op> waiting() const { return {taken_, next_}; }
    void take(std::size_t ops) { taken_ += ops; }
    // Runs the rank until it hands over ops, returns, or is left. Requires: waiting() is empty.
    void run_rank();
    // The last op it posted; null: none.
    const Op* last_op() const { return next_ > slots_.data() ? next_ - 1 : last_; }
    // Whether the rank was left in its own code, or refused to end: it never runs again.
    bool abandoned() const { return refused_ || left_ != BreakOut::Left::not_at_all; }
    // Whether it was left because its stack overflowed.
    bool overflowed() const { return left_ == BreakOut::Left::for_overflow; }
    // Unwinds the rank's stack, unless it is abandoned. Afterwards fiber.ended().
    void end_rank();
    // To be called when the program has returned.
    void finish();

private:
    void make_room() override;
    void hand_over();
    void resume();

    BreakOut* break_out_;
    std::span<Op> slots_;
    const Op* taken_;
    const Op* last_ = nullptr;  // of earlier turns
    Body body_ = nullptr;
    void* host_ = nullptr;
    bool over_ = false;
    bool refused_ = false;
    BreakOut::Left left_ = BreakOut::Left::not_at_all;
    int refusals_ = 0;
};

}  // namespace sim::ranks
