// Messages that an injected fault loses: they are sent and never arrive.
//
// A sender that need not wait for its message goes on as if it had arrived; one that must wait, waits forever. So does
// a receiver that waits for the message.
#include "libsim/kernel/kernel.hpp"

namespace sim::kernel {

bool Kernel::loses(const Rendezvous::Meeting& meeting) {
    const bool is_lost = conditions_.lose_messages() &&
                         conditions_.loses(groups_->group(collective_word(meeting.op).group), meeting.last_at);
    if (is_lost) {
        lost_messages_.note_collective();
    }
    return is_lost;
}

// False: the stream is blocked forever.
bool Kernel::send_lost(int rank, RankState& self, Stream on, NumberedOp at, Time begin) {
    const Op& op = at.op;
    lost_messages_.note(rank, op);
    self.count_message(op);
    Sending sending;
    if (times_ends_) {
        sending = sending_at_ends(rank, at, begin);
    } else if (!links_) {
        const Time sent = later(begin, prices_.message(rank, op, at.number, begin));
        sending = {.times = {.processor = sent, .card = sent, .there = sent}};
        sending.waits_for_receiver = waits_for_receiver(op);
    }
    const bool waits = links_ || sending.waits_for_receiver;
    StreamState& state = self.at(on);
    if (!links_) {
        state.send_port_free = sending.times.card;
    }
    if (is_asynchronous(op)) {
        self.joinables.add({.op = op,
                            .op_number = at.number,
                            .done = !waits,
                            .begin = begin,
                            .end = waits ? begin : sending.times.processor});
        if (!waits && !may_hold_senders_) {
            emit(rank, op, at.number, begin, sending.times.processor, Duration{0}, 0);
        }
        return true;
    }
    if (waits) {
        block(self, on, at);
        return false;
    }
    self.spend(on, {.end = sending.times.processor});
    emit(rank, op, at.number, begin, sending.times.processor, Duration{0}, 0);
    return true;
}

}  // namespace sim::kernel
