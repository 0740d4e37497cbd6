#include "libsim/kernel/rendezvous.hpp"

#include "libsim/check.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/describe.hpp"
#include "libsim/kernel/wrong_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sim::kernel {

namespace {

bool same(const Op& a, const Op& b) {
    return a.kind == b.kind && a.bytes == b.bytes && a.amount == b.amount && a.peer == b.peer && a.tag == b.tag &&
           (a.measure == b.measure || a.amount == 0);
}

}  // namespace

Rendezvous::Group& Rendezvous::group_of(GroupId id, Stream stream) {
    const auto number = static_cast<std::size_t>(id);
    const auto on = static_cast<std::size_t>(stream);
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
    if (group.attended.size() == 1) {  // alone: whoever comes is the last
        complete_.op = op;
        complete_.first_rank = rank;
        complete_.first_op_number = op_number;
        complete_.first_at = at;
        complete_.last_at = at;
        complete_.brought.clear();
        if (brought > 0) {
            complete_.brought.push_back(brought);
        }
        return &complete_;
    }
    const std::size_t number = group.attended[static_cast<std::size_t>(member)]++ - group.closed;
    if (number >= group.open.size()) {
        group.open.push_back({op, rank, op_number, at, at, 0, std::vector<bool>(group.attended.size()), {}});
    }
    Meeting& meeting = group.open[number];
    if (!same(meeting.op, op)) {
        throw_mismatch(meeting, rank, op_number, at, op);
    }
    meeting.last_at = std::max(meeting.last_at, at);
    meeting.here[static_cast<std::size_t>(member)] = true;
    if (brought > 0) {
        meeting.brought.resize(group.attended.size());
        meeting.brought[static_cast<std::size_t>(member)] = brought;
    }
    if (++meeting.arrived < static_cast<int>(group.attended.size())) {
        return nullptr;
    }
    // Nobody comes to a later meeting before this one, so the complete one is the oldest.
    check(number == 0, "meeting {} of group {} is complete before an older one", number, static_cast<unsigned>(id));
    complete_ = std::move(meeting);
    group.open.pop_front();
    group.closed += 1;
    return &complete_;
}

const Rendezvous::Meeting& Rendezvous::latest_of(int rank, GroupId id, Stream stream) const {
    const Group& group = meetings_[static_cast<std::size_t>(stream)][static_cast<std::size_t>(id)];
    const auto member = static_cast<std::size_t>(index_of(group, id, rank));
    return group.open[group.attended[member] - group.closed - 1];
}

const Rendezvous::Meeting* Rendezvous::open_meeting_of(int rank, Stream stream) const {
    const auto on = static_cast<std::size_t>(stream);
    const Meeting* last = nullptr;
    for (std::size_t id = 0; on < meetings_.size() && id < meetings_[on].size(); ++id) {
        const Group& group = meetings_[on][id];
        const int member = group.attended.empty() ? -1 : index_of(group, static_cast<GroupId>(id), rank);
        if (member < 0 || group.attended[static_cast<std::size_t>(member)] == group.closed) {
            continue;
        }
        const Meeting& meeting = latest_of(rank, static_cast<GroupId>(id), stream);
        last = last == nullptr || meeting.last_at > last->last_at ? &meeting : last;
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
            const std::tuple key(members.rank_at(0), members.size(), stream);
            if (first == nullptr || key < first_key) {
                first = &group.open.front();
                first_key = key;
            }
        }
    }
    return first;
}

void Rendezvous::throw_mismatch(const Meeting& meeting, int rank, std::uint32_t op_number, Time at,
                                const Op& op) const {
    const GroupId id = collective_word(op).group;
    const bool forms_differ = meeting.op.kind != op.kind;
    const auto line = [&](int who, std::uint32_t number, Time when, const Op& what) {
        const char* form = !forms_differ ? "" : what.kind == OpKind::enter ? " with data" : " by size alone";
        return fmt::format("\n  rank {}, op {}: {}{}   at {}", who, number, describe(what), form, describe_time(when));
    };
    std::string first = line(meeting.first_rank, meeting.first_op_number, meeting.first_at, meeting.op);
    std::string second = line(rank, op_number, at, op);
    if (rank < meeting.first_rank) {
        std::swap(first, second);  // by rank: the order of arrival in wall time must not show
    }
    const std::string where =
        id == GroupId::world ? "the world" : fmt::format("a group of {} ranks", groups_->group(id).size());
    std::vector<WrongOp> ops{
        {.rank = meeting.first_rank, .op_number = meeting.first_op_number, .what = describe(meeting.op)},
        {.rank = rank, .op_number = op_number, .what = describe(op)}};
    std::ranges::sort(ops, {}, &WrongOp::rank);
    throw Mismatch(fmt::format("collectives do not match in {}{}{}", where, first, second), std::move(ops));
}

}  // namespace sim::kernel
