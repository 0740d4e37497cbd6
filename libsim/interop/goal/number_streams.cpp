#include "libsim/interop/goal/number_streams.hpp"

#include "libsim/interop/goal/from_program.hpp"

#include <algorithm>
#include <map>

namespace sim::goal {

namespace {

// A stream and a tag, as the kernel matches messages; negative tags are those of collectives.
struct StreamTag {
    std::uint8_t stream;
    std::int32_t tag;

    bool in_collective() const { return tag < 0; }
    bool stays() const { return stream == 0 && tag >= 0; }
    friend auto operator<=>(const StreamTag&, const StreamTag&) = default;
};

StreamTag tag_of(const GoalOp& op) {
    return {op.cpu, static_cast<std::int32_t>(op.tag)};
}

bool has_ends(const GoalOp& op) {
    return op.kind != GoalOpKind::calc;
}

std::map<StreamTag, std::uint32_t> numbers_of(const GoalSchedule& schedule) {
    std::map<StreamTag, std::uint32_t> numbers;
    std::uint32_t next = 0;
    std::uint32_t next_in_collectives = first_collective_tag;
    for (const GoalOp& op : schedule.ops) {
        if (has_ends(op)) {
            numbers[tag_of(op)] = op.tag;
            next = tag_of(op).stays() ? std::max(next, op.tag + 1) : next;
        }
    }
    for (auto& [tag, number] : numbers) {
        if (!tag.stays()) {
            number = tag.in_collective() ? next_in_collectives++ : next++;
        }
    }
    return numbers;
}

}  // namespace

void number_streams(GoalSchedule& schedule) {
    std::map<std::uint8_t, std::uint8_t> cpus{{0, 0}};
    for (const GoalOp& op : schedule.ops) {
        cpus[op.cpu] = 0;
    }
    std::uint8_t next = 0;
    for (auto& [stream, cpu] : cpus) {
        cpu = next++;
    }
    const std::map<StreamTag, std::uint32_t> tags = numbers_of(schedule);
    schedule.nics = 1;
    for (GoalOp& op : schedule.ops) {
        if (has_ends(op)) {
            op.tag = tags.at(tag_of(op));
            op.nic = cpus.at(op.cpu);
            schedule.nics = std::max(schedule.nics, op.nic + 1);
        }
        op.cpu = cpus.at(op.cpu);
    }
    schedule.cpus = next;
}

}  // namespace sim::goal
