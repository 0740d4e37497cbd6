#include "libsim/interop/goal/dependencies.hpp"

#include <algorithm>

namespace sim::goal {

Dependencies::Dependencies(const GoalSchedule& schedule) : schedule_(schedule), needs_(schedule.ops.size()) {
    for (const Dependent dependent : schedule.dependents) {
        std::uint8_t& needs = needs_[dependent.op()];
        if (needs == many || ++needs == many) {
            ++many_needs_.try_emplace(dependent.op(), many - 1).first->second;
        }
    }
}

void Dependencies::sort_free() {
    const auto key_of = [&](OpIndex index) {
        const GoalOp& op = schedule_.ops[index];
        return std::uint64_t{op.rank} << 8U | static_cast<std::uint64_t>(op.kind);
    };
    const auto before = [&](OpIndex a, OpIndex b) { return key_of(a) < key_of(b); };
    if (free_.size() > 16) {
        std::stable_sort(free_.begin(), free_.end(), before);
        return;
    }
    // There are almost always two.
    for (auto at = free_.begin() + 1; at < free_.end(); ++at) {
        for (auto to = at; to != free_.begin() && before(*to, to[-1]); --to) {
            std::swap(*to, to[-1]);
        }
    }
}

}  // namespace sim::goal
