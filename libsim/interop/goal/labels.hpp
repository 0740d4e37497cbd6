// This hash table maps the labels of one rank, as views into the text, to the operations that they name.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::goal {

class GoalLabels {
public:
    struct Entry {
        const char* at = nullptr;  // null: free
        std::uint32_t size = 0;
        OpIndex op = 0;

        std::string_view name() const { return {at, size}; }
    };

    // The entry of `name`, and whether it was added just now.
    std::pair<const Entry&, bool> add(std::string_view name, OpIndex op) {
        if (2 * (used_.size() + 1) > slots_.size()) {
            grow();
        }
        const std::size_t slot = find(name);
        const bool is_new = slots_[slot].at == nullptr;
        if (is_new) {
            slots_[slot] = {name.data(), static_cast<std::uint32_t>(name.size()), op};
            used_.push_back(static_cast<std::uint32_t>(slot));
        }
        return {slots_[slot], is_new};
    }

    std::optional<OpIndex> at(std::string_view name) const {
        if (used_.empty()) {
            return {};
        }
        const Entry& entry = slots_[find(name)];
        return entry.at == nullptr ? std::nullopt : std::optional(entry.op);
    }

    // Labels in the order in which they were added.
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const std::uint32_t slot : used_) {
            names.emplace_back(slots_[slot].name());
        }
        return names;
    }

    void clear() {
        for (const std::uint32_t slot : used_) {
            slots_[slot].at = nullptr;
        }
        used_.clear();
    }

private:
    // FNV hash with a final mix, because generated labels differ only in their last digits.
    static std::size_t hash(std::string_view name) {
        std::uint64_t h = 0xcbf29ce484222325U;
        for (const char c : name) {
            h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        }
        return static_cast<std::size_t>(h ^ h >> 29U);
    }

    // The slot that holds `name`, or would hold it.
    std::size_t find(std::string_view name) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = hash(name) & mask;
        while (slots_[slot].at != nullptr && slots_[slot].name() != name) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    void grow() {
        std::vector<Entry> old(slots_.empty() ? 64 : 2 * slots_.size());
        old.swap(slots_);
        for (std::uint32_t& slot : used_) {
            const Entry& entry = old[slot];
            slot = static_cast<std::uint32_t>(find(entry.name()));
            slots_[slot] = entry;
        }
    }

    std::vector<Entry> slots_;         // the count is a power of two, at most half used
    std::vector<std::uint32_t> used_;  // the slots, in the order of add()
};

}  // namespace sim::goal
