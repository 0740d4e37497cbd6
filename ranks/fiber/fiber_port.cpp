#include "ranks/fiber/fiber_port.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace sim::ranks {

namespace {

// A rank may catch RunIsOver this many times before its stack is abandoned.
constexpr int most_refusals = 1000;

}  // namespace

FiberPort::FiberPort(int rank, Run& run, BreakOut& break_out, std::span<Op> slots)
    : RunPort(rank, run), break_out_(&break_out), slots_(slots), taken_(slots.data()) {
    next_ = slots_.data();
    end_ = slots_.data() + slots_.size();
}

void FiberPort::begin(std::span<std::byte> stack, Body body, void* host) {
    body_ = body;
    host_ = host;
    const auto enter = [](void* self) {
        auto& port = *static_cast<FiberPort*>(self);
        port.body_(port, port.host_);
    };
    fiber.begin(stack, enter, this);
}

void FiberPort::hand_over() {
    if (!over_) {
        fiber.suspend();
    }
    if (!over_) {
        return;
    }
    // Ops that destructors post while the stack is unwound are dropped; anything else unwinds it.
    next_ = slots_.data();
    if (std::uncaught_exceptions() > 0) {
        return;
    }
    if (++refusals_ > most_refusals) {
        refused_ = true;  // it catches everything and goes on, so it will not end
        fiber.suspend();
    }
    throw RunIsOver{};
}

void FiberPort::make_room() {
    hand_over();
}

Port::Answer FiberPort::ask(Op op) {
    post_question(op);
    hand_over();
    return answer();
}

Label FiberPort::intern(std::string_view text) {
    if (const Label* const label = run().names.recent(text)) {
        return *label;
    }
    const BreakOut::HostCode here(*break_out_);
    return RunPort::intern(text);
}

GroupId FiberPort::number(const Group& group) {
    const BreakOut::HostCode here(*break_out_);
    return RunPort::number(group);
}

void FiberPort::write(std::span<const std::byte> payload) {
    const BreakOut::HostCode here(*break_out_);
    RunPort::write(payload);
    if (run().fault) {
        end_ = next_ + 1;  // the op that this belongs to ends the rank's turn
    }
}

void FiberPort::read(std::span<std::byte> payload) {
    const BreakOut::HostCode here(*break_out_);
    if (over_) {
        std::memset(payload.data(), 0, payload.size());
        return;
    }
    RunPort::read(payload);
}

std::vector<std::span<const std::byte>> FiberPort::gathered() {
    const BreakOut::HostCode here(*break_out_);
    if (over_) {
        give_back_gathered();
        return {};
    }
    return RunPort::gathered();
}

void FiberPort::report(Label name, std::span<const double> values) {
    const BreakOut::HostCode here(*break_out_);
    RunPort::report(name, values);
}

void FiberPort::run_rank() {
    last_ = last_op();
    next_ = slots_.data();
    taken_ = next_;
    resume();
}

void FiberPort::resume() {
    left_ = break_out_->resume(fiber);
}

void FiberPort::end_rank() {
    over_ = true;
    while (!fiber.ended() && !abandoned()) {
        resume();
    }
    if (abandoned()) {
        fiber.abandon();
    }
}

void FiberPort::finish() {
    give_back_gathered();
    post({.kind = OpKind::finish});
}

}  // namespace sim::ranks
