#include "libsim/kernel/parts/rendezvous.hpp"

#include "libsim/check.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/parts/describe.hpp"
#include "libsim/kernel/parts/wrong_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sim::kernel {

namespace {

bool same(const Op& a, const Op& b, bool any_amount) {
    return a.kind == b.kind && a.bytes == b.bytes && (any_amount || a.amount == b.amount) && a.peer == b.peer &&
           a.tag == b.tag && (a.measure == b.measure || a.amount == 0);
}

bool may_be_uneven(const sim::Group& members, const Op& op) {
    return members.communicator() != 0 && collective_word(op).kind == CollectiveKind::all_to_all;
}

}  // namespace

std::size_t Rendezvous::place_of(GroupId id, Stream stream) const {
    // The members of a communicator may each come on a stream of their own choice; those of other groups must agree on
    // it.
    return groups_->group(id).communicator() != 0 ? 0 : static_cast<std::size_t>(stream);
}

Rendezvous::Group& Rendezvous::group_of(GroupId id, Stream stream) {
    const auto number = static_cast<std::size_t>(id);
    const std::size_t on = place_of(id, stream);
    if (on >= meetings_.size()) {
        meetings_.resize(on + 1);
    }
    if (number >= meetings_[on].size()) {
        meetings_[on].resize(number + 1);
    }
    Group& group = meetings_[on][number];
    if (group.attended.empty()) {
        const sim::Group& members = groups_->group(id);
        group.attended.assign(static_cast<std::size_t>(members.size()), 0);
        if (!members.evenly_spaced()) {
            for (int index = 0; index < members.size(); ++index) {
                group.index.emplace(members.rank_at(index), index);
            }
        }
    }
    return group;
}

int Rendezvous::index_of(const Group& group, GroupId id, int rank) const {
    if (group.index.empty()) {
        return groups_->group(id).index_of(rank);
    }
    const auto at = group.index.find(rank);
    return at == group.index.end() ? -1 : at->second;
}

const Rendezvous::Meeting* Rendezvous::arrive(int rank, std::uint32_t op_number, Time at, const Op& op,
                                              std::uint32_t brought) {
    const GroupId id = collective_word(op).group;
    Group& group = group_of(id, op.stream);
    const int member = index_of(group, id, rank);
    check(member >= 0, "rank {} is not in group {}", rank, static_cast<unsigned>(id));
    if (group.attended.size() == 1) {  // a group of one: its member is always the last
        complete_.op = op;
        complete_.last_at = at;
        complete_.came.clear();
        complete_.brought.clear();
        if (brought > 0) {
            complete_.brought.push_back(brought);
        }
        return &complete_;
    }
    const std::size_t number = group.attended[static_cast<std::size_t>(member)]++ - group.closed;
    if (number >= group.open.size()) {
        group.open.push_back({.op = op, .last_at = at, .came = std::vector<Attendance>(group.attended.size())});
    }
    Meeting& meeting = group.open[number];
    const bool any_amount = may_be_uneven(groups_->group(id), op);
    if (!same(meeting.op, op, any_amount)) {
        meeting.dissent.push_back({member, op});
        any_dissent_ = true;
    }
    if (any_amount) {
        // The member with the most data decides the price.
        meeting.op.amount = std::max(meeting.op.amount, op.amount);
    }
    meeting.last_at = std::max(meeting.last_at, at);
    meeting.came[static_cast<std::size_t>(member)] = {op_number + 1, at, op.stream};
    if (brought > 0) {
        meeting.brought.resize(group.attended.size());
        meeting.brought[static_cast<std::size_t>(member)] = brought;
    }
    if (++meeting.arrived < static_cast<int>(group.attended.size())) {
        return nullptr;
    }
    // No member comes to a later meeting before this one, so the complete one is the oldest.
    check(number == 0, "meeting {} of group {} is complete before an older one", number, static_cast<unsigned>(id));
    const bool all_agree = meeting.dissent.empty();
    (all_agree ? complete_ : dissenting_.emplace_back()) = std::move(meeting);
    group.open.pop_front();
    group.closed += 1;
    return all_agree ? &complete_ : nullptr;
}

const Rendezvous::Meeting* Rendezvous::latest_of(int rank, GroupId id, Stream stream) const {
    const Group& group = meetings_[place_of(id, stream)][static_cast<std::size_t>(id)];
    const auto member = static_cast<std::size_t>(index_of(group, id, rank));
    const std::size_t still_open = group.attended[member] - group.closed;
    return still_open > 0 ? &group.open[still_open - 1] : nullptr;
}

const Rendezvous::Meeting* Rendezvous::open_meeting_of(int rank, Stream stream) const {
    const Meeting* last = nullptr;
    for (std::size_t number = 0; number < groups_->size(); ++number) {
        const auto id = static_cast<GroupId>(number);
        const std::size_t on = place_of(id, stream);
        if (on >= meetings_.size() || number >= meetings_[on].size()) {
            continue;
        }
        const Group& group = meetings_[on][number];
        const int member = group.attended.empty() ? -1 : index_of(group, id, rank);
        if (member < 0 || group.attended[static_cast<std::size_t>(member)] == group.closed) {
            continue;
        }
        const Meeting* const meeting = latest_of(rank, id, stream);
        if (meeting->stream_of(member) == stream) {
            last = last == nullptr || meeting->last_at > last->last_at ? meeting : last;
        }
    }
    return last;
}

const Rendezvous::Meeting* Rendezvous::first_open() const {
    const Meeting* first = nullptr;
    std::tuple<int, int, std::size_t> first_key;
    for (std::size_t stream = 0; stream < meetings_.size(); ++stream) {
        for (std::size_t number = 0; number < meetings_[stream].size(); ++number) {
            const Group& group = meetings_[stream][number];
            if (group.open.empty()) {
                continue;
            }
            const sim::Group& members = groups_->group(static_cast<GroupId>(number));
            // Not by the group's number, which depends on who named a group first in wall time.
            const std::tuple key(members.rank_at(0), members.size(), stream);
            if (first == nullptr || key < first_key) {
                first = &group.open.front();
                first_key = key;
            }
        }
    }
    return first;
}

// Names the first member by rank and the first that disagrees with it: the order of arrival in wall time must not show.
// The mistake's time is when two members that disagree have both come.
FoundMistake Rendezvous::mismatch_of(const Meeting& meeting) const {
    const GroupId id = collective_word(meeting.op).group;
    const sim::Group& members = groups_->group(id);
    std::vector<const Op*> ops(meeting.came.size(), nullptr);  // by member; null: it has not come
    for (std::size_t member = 0; member < ops.size(); ++member) {
        ops[member] = meeting.came[member].op_number > 0 ? &meeting.op : nullptr;
    }
    for (const Disagreement& other : meeting.dissent) {
        ops[static_cast<std::size_t>(other.member)] = &other.op;
    }
    const bool any_amount = may_be_uneven(members, meeting.op);
    const auto first_with = [&ops](auto condition) {
        return static_cast<std::size_t>(std::ranges::find_if(ops, condition) - ops.begin());
    };
    const std::size_t first = first_with([](const Op* op) { return op != nullptr; });
    const std::size_t second =
        first_with([&](const Op* op) { return op != nullptr && !same(*op, *ops[first], any_amount); });
    std::size_t earliest = first;
    for (std::size_t member = first; member < ops.size(); ++member) {
        earliest = ops[member] != nullptr && meeting.came[member].at < meeting.came[earliest].at ? member : earliest;
    }
    Time at = Time::max();
    for (std::size_t member = first; member < ops.size(); ++member) {
        if (ops[member] != nullptr && !same(*ops[member], *ops[earliest], any_amount)) {
            at = std::min(at, meeting.came[member].at);
        }
    }
    const bool forms_differ = ops[first]->kind != ops[second]->kind;
    std::string text =
        fmt::format("collectives do not match in {}",
                    id == GroupId::world ? "the world" : fmt::format("a group of {} ranks", members.size()));
    std::vector<WrongOp> wrong;
    for (const std::size_t member : {first, second}) {
        const Attendance& came = meeting.came[member];
        const char* form = !forms_differ ? "" : ops[member]->kind == OpKind::enter ? " with data" : " by size alone";
        wrong.push_back({.rank = members.rank_at(static_cast<int>(member)),
                         .op_number = came.op_number - 1,
                         .what = describe(*ops[member])});
        text += fmt::format("\n  rank {}, op {}: {}{}   at {}", wrong.back().rank, wrong.back().op_number,
                            wrong.back().what, form, describe_time(came.at));
    }
    const MistakePlace place{at, wrong.front().rank, wrong.front().op_number};
    return {place, std::make_exception_ptr(Mismatch(text, std::move(wrong)))};
}

std::optional<FoundMistake> Rendezvous::first_mismatch() const {
    std::optional<FoundMistake> first;
    const auto consider = [&](const Meeting& meeting) {
        if (meeting.dissent.empty()) {
            return;
        }
        FoundMistake found = mismatch_of(meeting);
        if (!first || found.place < first->place) {
            first = std::move(found);
        }
    };
    std::ranges::for_each(dissenting_, consider);
    for (const std::vector<Group>& on_stream : meetings_) {
        for (const Group& group : on_stream) {
            std::ranges::for_each(group.open, consider);
        }
    }
    return first;
}

}  // namespace sim::kernel
