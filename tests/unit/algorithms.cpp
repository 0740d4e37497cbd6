#include "libsim/collectives/schedules/algorithms.hpp"

#include "libsim/collectives/schedules/check_schedule.hpp"
#include "libsim/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace {

using namespace sim;

std::string complaint(CollectiveKind kind, const AlgorithmConfig& config, int members = 8) {
    try {
        check_algorithm(kind, config, members);
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

TEST(AlgorithmConfig, OfAnAlgorithmThatAKindDoesNotHaveNamesThoseItHas) {
    EXPECT_EQ(complaint(CollectiveKind::gather, Algorithm::ring),
              "gather has no algorithm ring; it has binomial-tree, direct");
    EXPECT_EQ(complaint(CollectiveKind::barrier, Algorithm::ring), "barrier has no algorithm ring; it has bruck");
}

TEST(AlgorithmConfig, IsRefusedWhereItsOptionsCannotBe) {
    constexpr auto all_reduce = CollectiveKind::all_reduce;
    EXPECT_EQ(complaint(all_reduce, {Algorithm::ring, {.channels = 33}}),
              "a collective must have 1 to 32 channels, not 33");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::ring, {.channels = 0}}),
              "a collective must have 1 to 32 channels, not 0");
    EXPECT_EQ(complaint(CollectiveKind::all_to_all, {Algorithm::bruck, {.channels = 2}}),
              "all-to-all by bruck must have one channel, not 2");
    EXPECT_EQ(complaint(CollectiveKind::broadcast, {Algorithm::ring, {.pieces = 256}}),
              "a pipeline must have at most 255 pieces, not 256");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::ring, {.pieces = 2}}),
              "all-reduce by ring is not a pipeline: it takes no pieces");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::bruck, {.inner = 2}}),
              "bruck has no levels: inner is for ring and hierarchical, middle for hierarchical");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::ring, {.inner = 2, .middle = 2}}),
              "ring has no levels: middle is for hierarchical");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::ring, {.inner = 3}}), "ring: nodes of 3 do not divide 8 ranks");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::ring, {.inner = -1}}), "ring: inner must be 0 to 511 ranks, not -1");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::ring, {.inner = 512}}), "ring: inner must be 0 to 511 ranks, not 512");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::ring, {.channels = 8, .inner = 4}}), "");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::hierarchical, {.inner = 3}}),
              "hierarchical: groups of 3 do not divide 8 ranks");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::hierarchical, {.inner = 2, .middle = 3}}),
              "hierarchical: groups of 2 x 3 do not divide 8 ranks");
    EXPECT_EQ(complaint(all_reduce, Algorithm::hierarchical),
              "hierarchical: inner must be 1 to 511 ranks, and middle 0 to 511 such groups, not 0 and 0");
    EXPECT_EQ(complaint(all_reduce, {Algorithm::hierarchical, {.inner = 2, .middle = 2}}), "");
}

TEST(AlgorithmConfig, TravelsInTheTagOfItsOp) {
    for (const AlgorithmConfig& config :
         {AlgorithmConfig(Algorithm::ring), AlgorithmConfig(Algorithm::ring, {.channels = 32}),
          AlgorithmConfig(Algorithm::double_binary_tree, {.channels = 5, .pieces = 255}),
          AlgorithmConfig(Algorithm::hierarchical, {.inner = 511, .middle = 511})}) {
        const Op op{.tag = as_tag(packed(config)),
                    .bytes = std::bit_cast<std::uint64_t>(CollectiveWord{.algorithm = config.algorithm})};
        EXPECT_EQ(algorithm_of(op), config) << text_of(config);
    }
    EXPECT_EQ(as_tag(packed({})), 0);
}

TEST(AlgorithmConfig, SaysWhatItIs) {
    EXPECT_EQ(text_of(Algorithm::ring), "ring");
    EXPECT_EQ(text_of({Algorithm::ring, {.channels = 8, .inner = 8}}), "ring, 8 channels, inner 8");
    EXPECT_EQ(text_of({Algorithm::hierarchical, {.channels = 4, .inner = 8, .middle = 2}}),
              "hierarchical, 4 channels, inner 8, middle 2");
}

TEST(CandidateAlgorithms, AreAllPossibleAndHoldEveryAlgorithm) {
    for (int number = 0; number <= static_cast<int>(CollectiveKind::all_to_all); ++number) {
        const auto kind = static_cast<CollectiveKind>(number);
        const std::vector<AlgorithmConfig> configs = candidate_algorithms(kind, 16, 4, Wiring::rails);
        for (const AlgorithmConfig& config : configs) {
            EXPECT_EQ(complaint(kind, config, 16), "") << text_of(config);
        }
        for (const Algorithm algorithm : algorithms_of(kind)) {
            const auto is_it = [algorithm](const AlgorithmConfig& config) { return config.algorithm == algorithm; };
            EXPECT_TRUE(std::any_of(configs.begin(), configs.end(), is_it))
                << name_of(kind) << " " << name_of(algorithm);
        }
    }
}

TEST(CandidateAlgorithms, HaveARingByAllRailsOnlyWhereThereAreSome) {
    const AlgorithmConfig rails{Algorithm::ring, {.channels = 4, .inner = 4}};
    const auto has_rails = [&](int members, int ranks_per_node, Wiring wiring) {
        const auto configs = candidate_algorithms(CollectiveKind::all_reduce, members, ranks_per_node, wiring);
        return std::count(configs.begin(), configs.end(), rails) == 1;
    };
    EXPECT_TRUE(has_rails(16, 4, Wiring::rails));
    EXPECT_FALSE(has_rails(16, 4, Wiring::shared_links));
    EXPECT_FALSE(has_rails(16, 8, Wiring::rails));
    EXPECT_FALSE(has_rails(4, 4, Wiring::rails));
    EXPECT_FALSE(has_rails(18, 4, Wiring::rails));
}

TEST(CandidateAlgorithms, HaveManyDirectMessagesAtATimeOnlyWhereLinksAreShared) {
    const auto most_channels_of_direct = [](CollectiveKind kind, int members, Wiring wiring) {
        int most = 0;
        for (const AlgorithmConfig& config : candidate_algorithms(kind, members, 8, wiring)) {
            most = config.algorithm == Algorithm::direct ? std::max(most, config.channels) : most;
        }
        return most;
    };
    EXPECT_EQ(most_channels_of_direct(CollectiveKind::all_to_all, 16, Wiring::shared_links), 15);
    EXPECT_EQ(most_channels_of_direct(CollectiveKind::all_gather, 64, Wiring::rails), 32);
    EXPECT_EQ(most_channels_of_direct(CollectiveKind::all_to_all, 512, Wiring::rails), 1);
    EXPECT_EQ(most_channels_of_direct(CollectiveKind::all_to_all, 16, Wiring::private_links), 1);
    EXPECT_EQ(most_channels_of_direct(CollectiveKind::all_reduce, 16, Wiring::rails), 1);
}

// Checks a schedule with its steps replaced by `at`; returns the error.
std::string what_is_wrong(Schedule schedule, Step (*at)(const Schedule&, int, int, int)) {
    schedule.at = at != nullptr ? at : schedule.at;
    try {
        check_schedule(schedule);
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

TEST(CheckSchedule, FindsWhatIsWrongWithARing) {
    static const auto ring = schedule_of(CollectiveKind::all_gather, Algorithm::ring, 4, 0);
    EXPECT_EQ(what_is_wrong(ring, nullptr), "");
    EXPECT_EQ(what_is_wrong(ring,
                            [](const Schedule&, int, int member, int step) {
                                Step wrong = ring.at(ring, 0, member, step);
                                wrong.receive.first = member == 2 && step == 1 ? 3 : wrong.receive.first;
                                return wrong;
                            }),
              "in the end chunk 0 of member 2 lacks chunk 0 of member 0");
    EXPECT_EQ(what_is_wrong(ring,
                            [](const Schedule&, int, int member, int step) {
                                Step wrong = ring.at(ring, 0, member, step);
                                wrong.to = member == 2 && step == 1 ? 0 : wrong.to;
                                return wrong;
                            }),
              "channel 0, step 1: member 3 receives from 2, which has not sent");
    EXPECT_EQ(what_is_wrong(ring,
                            [](const Schedule&, int, int member, int step) {
                                Step wrong = ring.at(ring, 0, member, step);
                                wrong.from = member == 2 && step == 2 ? -1 : wrong.from;
                                return wrong;
                            }),
              "channel 0, step 2: member 1 sends to 2, which never receives it");
    EXPECT_EQ(what_is_wrong(ring,
                            [](const Schedule&, int, int member, int step) {
                                Step wrong = ring.at(ring, 0, member, step);
                                wrong.send = member == 2 && step == 2 ? chunks_in_a_row(0, 2) : wrong.send;
                                return wrong;
                            }),
              "channel 0, step 2: member 2 moves 2 chunks where every message is one");
    Schedule tree = schedule_of(CollectiveKind::broadcast, Algorithm::binomial_tree, 4, 0);
    tree.synchrony = Synchrony::lock_step;
    EXPECT_EQ(what_is_wrong(tree, nullptr), "its members are not in lock step");
    Schedule up_and_down = schedule_of(CollectiveKind::all_reduce, Algorithm::double_binary_tree, 4, 0);
    up_and_down.synchrony = Synchrony::same_step;
    EXPECT_NE(what_is_wrong(up_and_down, nullptr), "");
}

TEST(Synchrony, IsWhatEveryScheduleSaysOfItself) {
    for (int number = 0; number <= static_cast<int>(CollectiveKind::all_to_all); ++number) {
        const auto kind = static_cast<CollectiveKind>(number);
        for (const AlgorithmConfig& config : candidate_algorithms(kind, 8, 4, Wiring::rails)) {
            const Schedule schedule = schedule_of(kind, config, 8, 0);
            EXPECT_EQ(synchrony_of(schedule), schedule.synchrony) << name_of(kind) << " " << text_of(config);
        }
    }
}

}  // namespace
