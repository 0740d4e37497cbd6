// Checks for leftovers once all ranks have returned: incomplete collectives, and messages that were never received.
#include "libsim/kernel/kernel.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::kernel {

namespace {

constexpr std::size_t most_named = 8;  // ranks, or messages

std::string first_of(const std::vector<int>& ranks) {
    const std::size_t shown = std::min(ranks.size(), most_named);
    return fmt::format("rank{} {}{}", ranks.size() == 1 ? "" : "s",
                       fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       ranks.size() > shown ? ", …" : "");
}

[[noreturn]] void refuse_meeting(const Groups& groups, const Rendezvous::Meeting& meeting) {
    const GroupId id = collective_word(meeting.op).group;
    const Group& group = groups.group(id);
    std::vector<int> missing;
    std::vector<int> here;
    std::vector<WrongOp> ops;  // by rank: the order of arrival in wall time must not show
    for (int index = 0; index < group.size(); ++index) {
        // Op numbers count from 1 here; 0 is a member that has not come.
        const std::uint32_t came = meeting.came[static_cast<std::size_t>(index)].op_number;
        (came > 0 ? here : missing).push_back(group.rank_at(index));
        if (came > 0 && ops.size() < most_named) {
            ops.push_back({.rank = here.back(), .op_number = came - 1, .what = describe(meeting.op)});
        }
    }
    for (WrongOp& op : ops) {
        op.waits_for = missing.front();
    }
    throw Mismatch(fmt::format("a collective is not complete, and all ranks have returned\n"
                               "  {} in {}: {} never came; {} did",
                               describe(meeting.op),
                               id == GroupId::world ? "the world" : fmt::format("a group of {} ranks", group.size()),
                               first_of(missing), first_of(here)),
                   std::move(ops));
}

// The send as its program issued it.
Op send_of(const Matching::Unmatched& left) {
    return {.kind = OpKind::send,
            .measure = left.message.measure,
            .stream = left.stream,
            .peer = left.target,
            .tag = left.tag,
            .amount = left.message.amount,
            .bytes = left.message.bytes};
}

}  // namespace

void Kernel::require_complete_collectives() const {
    if (const Rendezvous::Meeting* const meeting = rendezvous_.first_open()) {
        refuse_meeting(groups(), *meeting);
    }
}

void Kernel::require_received_messages() const {
    const std::vector<Matching::Unmatched> left = matching_.unmatched();
    if (left.empty()) {
        return;
    }
    std::vector<WrongOp> ops;
    std::string text = fmt::format("{} never received, and all ranks have returned",
                                   left.size() == 1 ? "a message is" : "messages are");
    for (std::size_t i = 0; i < std::min(left.size(), most_named); ++i) {
        const Op send = send_of(left[i]);
        // A message has the number of its send, from 1.
        const std::uint32_t number = left[i].message.number - 1;
        ops.push_back({.rank = left[i].source, .op_number = number, .what = describe(send), .waits_for = send.peer});
        text += fmt::format("\n  rank {}, op {}: {}   at {}", left[i].source, number, describe(send),
                            describe_time(left[i].message.begin));
    }
    if (left.size() > most_named) {
        text += fmt::format("\n  … and {} more", left.size() - most_named);
    }
    throw Mismatch(text, std::move(ops));
}

}  // namespace sim::kernel
