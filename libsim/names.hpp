// These tables intern texts and groups as numbers, so that an op stays a small value. Numbers are assigned in order of
// first use.
#pragma once

#include "libsim/group.hpp"
#include "libsim/op.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sim {

class Names {
public:
    Names() { intern(""); }
    Names(const Names&) = delete;  // its look-ups point into its own texts
    Names& operator=(const Names&) = delete;
    Label intern(std::string_view text);
    // The label of a text recently interned from the same address; null: call intern(). Changes nothing.
    const Label* recent(std::string_view text) const {
        const std::size_t place = place_of(text.data());
        const Recent& newer = recent_[place];
        const Recent& recent = newer.address == text.data() ? newer : recent_[place ^ 1U];
        // The address is only a hint: the text behind it may have changed.
        return recent.address == text.data() && recent.text == text ? &recent.label : nullptr;
    }
    const std::string& text(Label label) const { return texts_[static_cast<std::size_t>(label)]; }
    std::size_t size() const { return texts_.size(); }

private:
    // Programs repeat a few labels: recent ones are found by address, so most look-ups hash nothing.
    struct Recent {
        const char* address = nullptr;
        std::string_view text = {};  // of the label
        Label label = Label::none;
    };
    // Labels are adjacent in memory, often at equal distances: the multiplication spreads them.
    static std::size_t place_of(const char* address) {
        constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
        return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(address) * golden >> 56U);
    }
    std::array<Recent, 256> recent_{};
    std::deque<std::string> texts_;  // a deque, so that texts never move
    std::unordered_map<std::string_view, Label> numbers_;
};

class Groups {
public:
    // Group 0 is the world of `ranks` ranks.
    explicit Groups(int ranks) { number(Group::strided(0, 1, ranks)); }
    GroupId number(const Group& group);
    const Group& group(GroupId id) const { return groups_[static_cast<std::size_t>(id)]; }
    std::size_t size() const { return groups_.size(); }

private:
    GroupId last_ = GroupId::world;  // the last one requested
    std::deque<Group> groups_;
    std::unordered_map<Group, GroupId, GroupHash> numbers_;
};

}  // namespace sim
