// What the two networks that hold a sender have in common: LogGP, with its rendezvous, and shared links.
#include "libsim/error.hpp"
#include "libsim/kernel/describe.hpp"
#include "libsim/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

bool Kernel::send_and_hold(int rank, Rank& self, const Op& op) {
    return loggp_ != nullptr ? send_by_loggp(rank, self, op) : send_as_flow(rank, self, op);
}

// When an asynchronous receive has its message. On LogGP the program still has to take it from its card: as long as it
// has not, that it alone takes time is all that is known.
Time Kernel::end_of_asynchronous(int rank, const Joinable& joinable, const Message& message) {
    Time alone{};
    return loggp_ != nullptr ? end_by_loggp(alone, joinable.begin, message)
                             : later(std::max(joinable.begin, message.end), acknowledgement(joinable.op.peer, rank));
}

void Kernel::require_bytes(int rank, const Op& op, std::uint32_t op_number, Time at) const {
    try {
        require_price(cluster_, Size{op.amount, op.measure});
    } catch (const ProgramError& error) {
        throw ProgramError(fmt::format("rank {}, op {}: {} at {}: {}", rank, op_number, describe(op), describe_time(at),
                                       error.what()));
    }
}

// A held sender goes on. Waiting for a receiver is idle; waiting for the links is what sending is.
void Kernel::end_send(const Transfer& transfer, Time at) {
    const int rank = transfer.source;
    Rank& self = of(rank);
    const Message& message = transfer.message;
    const bool met = loggp_ != nullptr;
    if (is_walk(transfer.sender)) {
        return end_walk_send(transfer.sender, at);
    }
    if (transfer.sender >= 0) {
        Joinable& joinable = *self.joinables.find(transfer.sender);
        joinable.end = std::max(joinable.end, at);
        joinable.done = true;
        joinable.message = message;
        joinable_is_done(rank, self, transfer.sender);
        return;
    }
    if (transfer.sender == the_program) {
        const Duration held = std::max(at - self.clock, Duration{0});
        self.communicating += met ? Duration{0} : held;
        self.clock += held;
        self.sends_free = std::max(self.sends_free, at);
        emit(rank, self.pending, self.pending_number, message.begin, self.clock, met ? held : Duration{0},
             id_of(rank, message));
        unblock(rank, self);
        return;
    }
    const Stream stream = stream_of(transfer.sender);
    Lane& lane_at = lane(self, stream);
    const Lane::Issued issued = lane_at.waiting.front();
    const Duration held = std::max(at - lane_at.clock, Duration{0});
    note(met ? lane_at.idle : lane_at.busy, lane_at.clock, lane_at.clock + held);
    lane_at.clock += held;
    lane_at.sends_free = std::max(lane_at.sends_free, at);
    emit(rank, issued.op, issued.op_number, message.begin, lane_at.clock, met ? held : Duration{0},
         id_of(rank, message));
    end_issued(rank, self, lane_at);
    awake_.push_back({rank, stream});
}

}  // namespace sim
