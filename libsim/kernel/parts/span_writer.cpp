#include "libsim/kernel/parts/span_writer.hpp"

namespace sim::kernel {

void SpanWriter::write_always(int rank, NumberedOp at, Time begin, Time end, Duration idle,
                              std::uint64_t message) const {
    const Op& op = at.op;
    const bool has_peer = op.kind == OpKind::send || op.kind == OpKind::receive;
    const bool computes = op.kind == OpKind::compute;
    const bool is_collective = op.kind == OpKind::collective;
    const CollectiveWord word = is_collective ? collective_word(op) : CollectiveWord{};
    sink_({.rank = rank,
           .kind = op.kind,
           .stream = op.stream,
           .op_number = at.number,
           .label = &names_->text(op.label),
           .peer = has_peer ? op.peer : -1,
           .tag = computes ? 0 : op.tag,
           .measure = op.measure,
           .amount = op.amount,
           .purpose = computes ? op.tag : 0,
           .collective = word.kind,
           .group = is_collective ? &groups_->group(word.group) : nullptr,
           .begin = begin,
           .end = end,
           .idle = idle,
           .message = message});
}

}  // namespace sim::kernel
