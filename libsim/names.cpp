#include "libsim/names.hpp"

namespace sim {

Label Names::intern(std::string_view text) {
    Recent& recent = recent_[(reinterpret_cast<std::uintptr_t>(text.data()) >> 3U) % recent_.size()];
    // The address is only a hint: its text may have changed since.
    if (recent.address == text.data() && texts_[static_cast<std::size_t>(recent.label)] == text) {
        return recent.label;
    }
    auto known = numbers_.find(text);
    if (known == numbers_.end()) {
        const auto label = static_cast<Label>(texts_.size());
        texts_.emplace_back(text);
        known = numbers_.emplace(texts_.back(), label).first;
    }
    recent = {text.data(), known->second};
    return known->second;
}

GroupId Groups::number(const Group& group) {
    // Programs repeat a few groups: the last one often comes again.
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
