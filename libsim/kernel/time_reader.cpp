#include "libsim/kernel/time_reader.hpp"

#include "libsim/check.hpp"

#include <algorithm>
#include <functional>

namespace sim {

namespace {

bool has_closed_form(const Schedule& schedule, const std::vector<MemberClock>& members) {
    const auto sends_are_free = [](const MemberClock& member) { return member.sends_free <= member.time; };
    return schedule.lock_step && std::all_of(members.begin(), members.end(), sends_are_free);
}

void read_lock_step(const Schedule& schedule, const StepCost& cost, std::vector<MemberClock>& members) {
    if (schedule.steps == 0) {
        return;
    }
    // A single step cannot overflow by itself; time_for is checked, and scales without loss.
    const std::int64_t step = later(Time{cost.send}, cost.acknowledgement).time_since_epoch().count();
    const Duration all = time_for(schedule.steps, {step, 1});
    Time last{};
    for (const MemberClock& member : members) {
        last = std::max(last, member.time);
    }
    const Time end = later(last, all);
    for (MemberClock& member : members) {
        member.time = end;
        member.sends_free = later(end, -cost.acknowledgement);
        member.messages = schedule.steps;
        member.busy = all;
    }
}

void read_step_by_step(const Schedule& schedule, const LinkCosts& costs, std::vector<MemberClock>& members) {
    std::vector<Time> sent(members.size());
    for (int number = 0; number < schedule.steps; ++number) {
        for (int i = 0; i < schedule.members; ++i) {
            MemberClock& member = members[static_cast<std::size_t>(i)];
            if (const int to = schedule.step(i, number).to; to >= 0) {
                const StepCost& cost = costs.between(i, to);
                member.time = later(std::max(member.time, member.sends_free), cost.send);
                member.sends_free = member.time;
                member.messages += 1;
                member.busy += cost.send;
            }
            sent[static_cast<std::size_t>(i)] = member.time;
        }
        for (int i = 0; i < schedule.members; ++i) {
            const int from = schedule.step(i, number).from;
            if (from >= 0) {
                MemberClock& member = members[static_cast<std::size_t>(i)];
                const StepCost& cost = costs.between(from, i);
                const Time there = sent[static_cast<std::size_t>(from)];
                member.time = later(std::max(member.time, there), cost.acknowledgement);
                member.busy += cost.acknowledgement;
            }
        }
    }
}

}  // namespace

bool LinkCosts::uniform() const {
    return std::adjacent_find(node.begin(), node.end(), std::not_equal_to<>()) == node.end();
}

void read_time(const Schedule& schedule, const LinkCosts& costs, std::vector<MemberClock>& members, Reading reading) {
    check(static_cast<int>(members.size()) == schedule.members, "a schedule of {} members has {} clocks",
          schedule.members, members.size());
    if (reading == Reading::closed_form_where_exact && costs.uniform() && has_closed_form(schedule, members)) {
        read_lock_step(schedule, costs.within, members);
    } else {
        read_step_by_step(schedule, costs, members);
    }
}

}  // namespace sim
