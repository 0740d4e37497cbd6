#include "libsim/names.hpp"

#include <utility>

namespace sim {

Label Names::intern(std::string_view text) {
    if (const Label* const label = recent(text)) {
        return *label;
    }
    auto known = numbers_.find(text);
    if (known == numbers_.end()) {
        const auto label = static_cast<Label>(texts_.size());
        texts_.emplace_back(text);
        known = numbers_.emplace(texts_.back(), label).first;
    }
    // Pairs of slots, so that two labels used in turn do not evict each other.
    const std::size_t place = place_of(text.data());
    recent_[place ^ 1U] = std::exchange(recent_[place], {text.data(), known->first, known->second});
    return known->second;
}

GroupId Groups::number(const Group& group) {
    // Programs use few groups, often the same one several times in a row.
    if (!groups_.empty() && this->group(last_) == group) {
        return last_;
    }
    const auto known = numbers_.find(group);
    if (known != numbers_.end()) {
        last_ = known->second;
        return last_;
    }
    const auto id = static_cast<GroupId>(groups_.size());
    groups_.push_back(group);
    numbers_.emplace(group, id);
    return id;
}

}  // namespace sim
