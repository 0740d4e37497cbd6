// These tables intern texts and groups as numbers, so that an op stays a small value. Numbers are given in order of
// first use.
#pragma once

#include "libsim/group.hpp"
#include "libsim/op.hpp"

#include <array>
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
    const std::string& text(Label label) const { return texts_[static_cast<std::size_t>(label)]; }
    std::size_t size() const { return texts_.size(); }

private:
    // Programs repeat a few labels: the last ones by address, so that most look-ups hash nothing.
    struct Recent {
        const char* address = nullptr;
        Label label = Label::none;
    };
    std::array<Recent, 64> recent_{};
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
    GroupId last_ = GroupId::world;  // asked for
    std::deque<Group> groups_;
    std::unordered_map<Group, GroupId, GroupHash> numbers_;
};

}  // namespace sim
