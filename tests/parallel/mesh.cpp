#include "libsim/parallel/mesh.hpp"
#include "libsim/error.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using namespace sim;

template <class F>
std::string message(F&& f) {
    try {
        f();
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

TEST(Mesh, NumbersTensorParallelRanksFastestAndPipelineStagesSlowest) {
    const Mesh mesh({{"dp", 2}, {"tp", 2}, {"pp", 3}});
    EXPECT_EQ(mesh.size(), 12);
    EXPECT_EQ(mesh.size("pp"), 3);
    EXPECT_EQ(mesh.along(5, "tp"), Group::of({4, 5}));
    EXPECT_EQ(mesh.along(5, "dp"), Group::of({5, 7}));
    EXPECT_EQ(mesh.along(5, "pp"), Group::of({1, 5, 9}));
    EXPECT_EQ(mesh.rank_of({{"pp", 2}, {"tp", 1}}), 9);
}

TEST(Mesh, TakesTheCallersOrder) {
    const Mesh mesh({{"dp", 2}, {"tp", 2}, {"pp", 3}}, "pp-dp-tp");
    EXPECT_EQ(mesh.along(5, "pp"), Group::of({3, 4, 5}));
    EXPECT_EQ(mesh.along(5, "dp"), Group::of({2, 5}));
    EXPECT_EQ(mesh.along(5, "tp"), Group::of({5, 11}));
}

TEST(Mesh, OrdersAGroupAlongSeveralAxesByTheInnermostHoweverTheyAreListed) {
    const Mesh mesh({{"tp", 2}, {"cp", 2}, {"dp", 2}, {"pp", 2}});
    EXPECT_EQ(mesh.along(13, {"dp", "cp"}), Group::of({9, 11, 13, 15}));
    EXPECT_EQ(mesh.along(13, {"pp", "tp"}), Group::of({4, 5, 12, 13}));
    EXPECT_EQ(mesh.along(13, {"pp", "tp"}).ranks(), (std::vector<int>{4, 5, 12, 13}));
    EXPECT_EQ(mesh.along(13, {"cp"}), mesh.along(13, "cp"));
    EXPECT_EQ(mesh.along(13, {}), Group::of({13}));
}

TEST(Mesh, OfOneRankHasGroupsOfItselfOnly) {
    EXPECT_EQ(Mesh({{"dp", 1}, {"tp", 1}}).along(0, {"dp", "tp"}), Group::of({0}));
    EXPECT_EQ(Mesh({}).size(), 1);
}

TEST(Mesh, AlongNeighbouringAxesTakesNoMemoryEvenWithAxesOfSizeOneBetween) {
    const Mesh mesh({{"tp", 8}, {"cp", 1}, {"ep", 1}, {"dp", 1000}, {"pp", 16}});
    EXPECT_TRUE(mesh.along(77, {"tp", "dp"}).evenly_spaced());
    EXPECT_TRUE(mesh.along(77, {"dp", "pp"}).evenly_spaced());
    EXPECT_TRUE(mesh.along(77, {"tp", "dp", "pp"}).evenly_spaced());
    EXPECT_FALSE(mesh.along(77, {"tp", "pp"}).evenly_spaced());
}

Mesh random_mesh(test::Random& random) {
    std::vector<Axis> axes{{"tp", 1}, {"cp", 1}, {"ep", 1}, {"dp", 1}, {"pp", 1}};
    for (Axis& axis : axes) {
        axis.size = 1 + random.below(4);
    }
    std::vector<std::string> order{"tp", "cp", "ep", "dp", "pp"};
    for (std::size_t i = order.size() - 1; i > 0; --i) {
        std::swap(order[i], order[static_cast<std::size_t>(random.below(static_cast<int>(i) + 1))]);
    }
    return Mesh(axes, order[0] + "-" + order[1] + "-" + order[2] + "-" + order[3] + "-" + order[4]);
}

std::vector<int> place(const Mesh& mesh, int rank) {
    std::vector<int> at;
    for (const Axis& axis : mesh.axes()) {
        at.push_back(mesh.coordinate(rank, axis.name));
    }
    return at;
}

TEST(Mesh, GivesEveryRankOnePlaceAndEveryPlaceOneRank) {
    test::Random random(1);
    for (int trial = 0; trial < 50; ++trial) {
        const Mesh mesh = random_mesh(random);
        std::set<std::vector<int>> places;
        for (int rank = 0; rank < mesh.size(); ++rank) {
            const std::vector<int> at = place(mesh, rank);
            ASSERT_TRUE(places.insert(at).second) << rank;
            ASSERT_EQ(mesh.rank_of({{"tp", at[0]}, {"cp", at[1]}, {"ep", at[2]}, {"dp", at[3]}, {"pp", at[4]}}), rank);
        }
    }
}

// Members in order differ only in `axes`, and none is missing.
void expect_along(const Mesh& mesh, int rank, const Group& group, const std::vector<std::string_view>& axes) {
    const std::vector<int> here = place(mesh, rank);
    int expected_size = 1;
    for (std::size_t i = 0; i < mesh.axes().size(); ++i) {
        const bool free = std::find(axes.begin(), axes.end(), mesh.axes()[i].name) != axes.end();
        expected_size *= free ? mesh.axes()[i].size : 1;
        for (const int member : group.ranks()) {
            ASSERT_TRUE(free || place(mesh, member)[i] == here[i]) << rank << " and " << member;
        }
    }
    const std::vector<int> members = group.ranks();
    ASSERT_EQ(group.size(), expected_size);
    ASSERT_TRUE(std::is_sorted(members.begin(), members.end())) << "the innermost axis varies fastest";
    for (const int member : members) {
        ASSERT_TRUE(group.contains(rank) && group.contains(member));
    }
}

TEST(Mesh, GroupsPartTheWorldAndShareAllOtherCoordinates) {
    test::Random random(2);
    for (int trial = 0; trial < 20; ++trial) {
        const Mesh mesh = random_mesh(random);
        for (int rank = 0; rank < mesh.size(); rank += 1 + random.below(7)) {
            for (const std::string_view axis : {"tp", "cp", "ep", "dp", "pp"}) {
                expect_along(mesh, rank, mesh.along(rank, axis), {axis});
            }
            const Group pairs = mesh.along(rank, {"pp", "cp"});
            expect_along(mesh, rank, pairs, {"pp", "cp"});
            expect_along(mesh, rank, mesh.along(rank, {"tp", "dp", "ep"}), {"tp", "dp", "ep"});
            for (const int member : pairs.ranks()) {
                ASSERT_EQ(mesh.along(member, {"cp", "pp"}), pairs) << "one group, whoever asks";
            }
        }
    }
}

TEST(Mesh, SaysWhatIsWrongWithItsAxes) {
    EXPECT_EQ(message([] { Mesh({{"dp", 2}, {"tp", 2}, {"dp", 3}}); }), "axis \"dp\" is twice in one mesh");
    EXPECT_EQ(message([] { Mesh({{"dp", 0}}); }), "axis \"dp\" has size 0; an axis has size 1 or more");
    EXPECT_EQ(message([] { Mesh({{"tpp", 2}}); }), "axis \"tpp\" has no place in the order tp-cp-ep-dp-pp");
    EXPECT_EQ(message([] { Mesh({{"tp", 2}, {"dp", 2}}, "tp-dp-tp"); }), "axis \"tp\" is twice in the order tp-dp-tp");
    EXPECT_EQ(message([] {
                  Mesh({{"tp", 65536}, {"dp", 65536}});
              }),
              "tp 65536 x dp 65536 are more ranks than there can be");
}

TEST(Mesh, SaysWhatIsThereWhenAskedForWhatIsNot) {
    const Mesh mesh({{"tp", 2}, {"pp", 3}, {"dp", 2}});
    EXPECT_EQ(message([&] { mesh.size("tpp"); }), "no axis \"tpp\"; axes are tp, pp, dp");
    EXPECT_EQ(message([&] { mesh.along(0, {"tp", "ep"}); }), "no axis \"ep\"; axes are tp, pp, dp");
    EXPECT_EQ(message([&] { mesh.along(0, {"tp", "tp"}); }), "axis \"tp\" is twice in one group");
    EXPECT_EQ(message([&] { mesh.coordinate(12, "tp"); }), "no rank 12 in tp 2 x pp 3 x dp 2; ranks are 0 to 11");
    EXPECT_EQ(message([&] { mesh.along(-1, "tp"); }), "no rank -1 in tp 2 x pp 3 x dp 2; ranks are 0 to 11");
    EXPECT_EQ(message([&] { mesh.rank_of({{"pp", 3}}); }), "no pp 3; pp is 0 to 2");
    EXPECT_EQ(message([&] { mesh.rank_of({{"pp", 1}, {"pp", 2}}); }), "axis \"pp\" is twice in one place of a mesh");
}

TEST(Mesh, SaysWhichSizeOfOneAxisWouldFitTheWorld) {
    const Mesh mesh({{"dp", 3}, {"tp", 2}, {"pp", 1}});
    EXPECT_EQ(message([&] { mesh.check_world(6); }), "");
    EXPECT_EQ(message([&] { mesh.check_world(8); }), "dp 3 x tp 2 = 6 ranks, but there are 8; dp 4 would fit");
    EXPECT_EQ(message([&] { mesh.check_world(12); }),
              "dp 3 x tp 2 = 6 ranks, but there are 12; dp 6 or tp 4 or pp 2 would fit");
    EXPECT_EQ(message([&] { mesh.check_world(7); }),
              "dp 3 x tp 2 = 6 ranks, but there are 7; no other size of one axis would fit");
    EXPECT_EQ(message([] { Mesh({{"dp", 1}}).check_world(2); }), "dp 1 = 1 rank, but there are 2; dp 2 would fit");
}

}  // namespace
