// OpKind::checkpoint: ranks report the steps they have completed and hand over their state.
#include "libsim/kernel/kernel.hpp"

namespace sim::kernel {

// The program, or the stream, stalls meanwhile: its GPU neither computes nor sends for it.
bool Kernel::hand_over(int rank, RankState& self, Stream on, NumberedOp at, Time asked) {
    Op op = at.op;
    const Time begin = self.at(on).clock;
    const Time end = later(begin, Duration{op.amount});
    self.spend(on, {.idle = end - begin, .end = end, .busy_is_noted = true});
    if (!only_tells_of_step(at.op)) {
        op.amount = static_cast<std::int64_t>(op.bytes);
        emit(rank, op, at.number, begin, end, end - begin, 0);
    }
    if (on_steps_) {
        on_steps_({.rank = rank,
                   .steps = op.tag,
                   .in_program = on == Stream::main,
                   .asked = asked,
                   .begin = begin,
                   .end = end,
                   .with_state = op.peer > 0,
                   .bytes = op.bytes,
                   .payload = at.payload});
    }
    return true;
}

}  // namespace sim::kernel
