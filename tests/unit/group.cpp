#include "libsim/group.hpp"
#include "libsim/error.hpp"
#include "libsim/names.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

TEST(Group, OfEvenlySpacedRanksIsTheSameHoweverItWasMade) {
    EXPECT_EQ(Group::of({3, 5, 7}), Group::strided(3, 2, 3));
    EXPECT_EQ(Group::of({4}), Group::strided(4, 9, 1));
    EXPECT_EQ(GroupHash{}(Group::of({3, 5, 7})), GroupHash{}(Group::strided(3, 2, 3)));
    EXPECT_NE(Group::of({7, 5, 3}), Group::of({3, 5, 7}));
}

TEST(Group, KnowsWhereEachMemberStandsAndWhoIsNoMember) {
    for (const Group& group : {Group::strided(1, 3, 4), Group::of({9, 2, 30, 4})}) {
        for (int index = 0; index < group.size(); ++index) {
            EXPECT_EQ(group.index_of(group.rank_at(index)), index);
        }
        EXPECT_EQ(group.index_of(0), -1);
        EXPECT_EQ(group.index_of(31), -1);
    }
}

TEST(Group, GoesAroundAtBothEnds) {
    const Group group = Group::of({9, 2, 30});
    EXPECT_EQ(group.right_of(30), 9);
    EXPECT_EQ(group.left_of(9), 30);
    EXPECT_EQ(group.right_of(9), 2);
    EXPECT_THROW(group.right_of(1), ProgramError);
}

TEST(Group, RefusesNoRanksNegativeOnesAndTheSameTwice) {
    EXPECT_THROW(Group::of({}), ProgramError);
    EXPECT_THROW(Group::of({1, -1}), ProgramError);
    EXPECT_THROW(Group::of({1, 2, 1}), ProgramError);
    EXPECT_THROW(Group::strided(0, 0, 2), ProgramError);
    EXPECT_THROW(Group::strided(0, 1, 0), ProgramError);
    EXPECT_THROW(Group::strided(0, 1 << 30, 4), ProgramError);
}

TEST(Names, GiveATextItsNumberEvenWhenItsMemoryIsUsedAgain) {
    Names names;
    std::string text = "forward";
    const Label forward = names.intern(text);
    text = "backwd!";  // same length, same address
    const Label backward = names.intern(text);
    EXPECT_NE(forward, backward);
    EXPECT_EQ(names.intern("forward"), forward);
    EXPECT_EQ(names.text(backward), "backwd!");
    EXPECT_EQ(names.intern(""), Label::none);
}

TEST(Groups, BeginWithTheWorldAndNumberEqualGroupsAlike) {
    Groups groups(4);
    EXPECT_EQ(groups.number(Group::strided(0, 1, 4)), GroupId::world);
    const GroupId pair = groups.number(Group::of({1, 3}));
    EXPECT_NE(pair, GroupId::world);
    EXPECT_EQ(groups.number(Group::strided(1, 2, 2)), pair);
}

}  // namespace
