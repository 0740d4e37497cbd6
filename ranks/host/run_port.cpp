#include "ranks/host/run_port.hpp"

#include <cstring>
#include <utility>

namespace sim::ranks {

void RunPort::post_question(Op op) {
    op.answer = true;
    *next_++ = op;
    asked_ = op;
}

Port::Answer RunPort::answer() const {
    const kernel::Kernel::Delivery& delivery = run_->kernel.delivered(rank());
    return {run_->kernel.time(rank()), delivery.bytes};
}

void RunPort::write(std::span<const std::byte> payload) {
    run_->keep(rank(), {.bytes = {payload.begin(), payload.end()}});
}

void RunPort::read(std::span<std::byte> payload) {
    const std::vector<std::byte> data = run_->payload_of_answer(rank(), asked_).bytes;
    check(data.size() == payload.size(), "a payload of {} B is read as {} B", data.size(), payload.size());
    std::memcpy(payload.data(), data.data(), data.size());
}

std::vector<std::span<const std::byte>> RunPort::gathered() {
    give_back_gathered();
    lent_ = run_->kernel.gathered(rank());
    std::vector<std::span<const std::byte>> all;
    for (const kernel::Delivery& brought : lent_->all) {
        all.push_back(brought.bytes > 0 ? std::span(run_->payloads.lend(brought.source, brought.number).bytes)
                                        : std::span<const std::byte>{});
    }
    return all;
}

// Called once more than needed: a rank has read them by its next op, and returns them with its next question for data.
void RunPort::give_back_gathered() {
    if (lent_) {
        run_->give_back(*std::exchange(lent_, nullptr), [](const Payload&) {});
    }
}

void RunPort::report(Label name, std::span<const double> values) {
    run_->report(rank(), name, {values.begin(), values.end()});
}

}  // namespace sim::ranks
