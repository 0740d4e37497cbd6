#include "libsim/collectives/schedules/custom_schedule.hpp"

#include "libsim/collectives/data_reader.hpp"
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/error.hpp"
#include "ranks/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace {

using namespace sim;

std::string example() {
    std::ifstream file(NDSIM_SOURCE_DIR "/docs/examples/two_nodes.schedule");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string complaint(const std::string& text) {
    try {
        read_schedule(text, "mine");
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

// An all-gather of two ranks; `rest` continues in line 4.
std::string all_gather_of_two(const std::string& rest) {
    return "collective all-gather\nranks 2\nchunks 2\n" + rest;
}

TEST(CustomSchedule, OfTheExampleAddsUpRealNumbersInItsThreeSteps) {
    const Schedule schedule = read_schedule(example(), "two_nodes.schedule");
    std::vector<std::vector<double>> data(4);
    const ranks::LaunchOptions options{.ranks = 4, .host = ranks::Host::fiber, .cluster = gpu_py()};
    const ranks::Result result = ranks::launch(options, [&](GPU& gpu) {
        std::vector<double>& mine = data[static_cast<std::size_t>(gpu.rank())];
        mine = {1.0 + gpu.rank(), 10.0, 100.0 * gpu.rank()};
        execute(gpu, world(gpu), schedule, Units(500), "mine", elements_of(std::span(mine), Reduction::sum));
    });
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(data, std::vector<std::vector<double>>(4, {10, 40, 600}));
    EXPECT_EQ(result.end - Time{}, 3 * std::chrono::milliseconds(50 + 2500 + 50));
    std::vector<MemberClock> clocks(4);
    read_time(schedule, {Duration{2'550}, Duration{50}}, clocks);
    EXPECT_EQ(clocks[3].time, Time{Duration{7'800}});
}

TEST(CustomSchedule, KnowsOfItselfWhetherItIsInLockStepAndInTheSameStep) {
    EXPECT_TRUE(read_schedule(example(), "").in_lock_step());
    const Schedule later =
        read_schedule(all_gather_of_two("step 0: 0 -> 1 chunk 0 received in step 2\nstep 1: 1 -> 0 chunk 1\n"), "mine");
    EXPECT_EQ(later.synchrony, Synchrony::later_step);
    std::vector<MemberClock> clocks(2);
    read_time(later, {Duration{100}, Duration{7}}, clocks);
    EXPECT_EQ(clocks[0].time, Time{Duration{107}});  // both send at once; rank 1 sends before it receives
    EXPECT_EQ(clocks[1].time, Time{Duration{107}});
}

TEST(CustomSchedule, MovesSeveralChunksAroundTheEndAndToOtherPlaces) {
    const Schedule schedule = read_schedule(
        "collective all-to-all\nranks 2\nchunks 4\nsends input\n"
        "step 0: 0 -> 1 chunks 2..3 into 0..1\nstep 0: 1 -> 0 chunks 0..1 into 2..3\n",
        "mine");
    EXPECT_EQ(schedule.parts, 2);
    EXPECT_EQ(schedule.step(0, 1, 0).receive, chunks_in_a_row(0, 2));
    const Schedule around =
        read_schedule("collective broadcast\nranks 2\nchunks 3\nroot 1\nstep 0: 1 -> 0 chunks 2..1\n", "mine");
    EXPECT_EQ(around.step(0, 0, 0).receive.count(), 3);
}

TEST(CustomSchedule, SaysWhatCannotBeReadAndWhere) {
    EXPECT_EQ(complaint("colective all-gather\n"), "mine:1: 'colective' is unknown; did you mean collective?");
    EXPECT_EQ(complaint("collective all-gatter\n"),
              "mine:1: there is no collective all-gatter; did you mean all-gather?");
    EXPECT_EQ(complaint("ranks 0\n"), "mine:1: ranks must be 1 to 4096, not 0");
    EXPECT_EQ(complaint("step 0: 0 -> 1 chunk 0\n"),
              "mine:1: 'collective', 'ranks' and 'chunks' come before the first step");
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 -> 2 chunk 0\n")), "mine:4: a rank must be 0 to 1, not 2");
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 -> 0 chunk 0\n")), "mine:4: rank 0 sends to itself");
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 to 1 chunk 0\n")), "mine:4: 'to' where '->' should be");
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 -> 1\n")), "mine:4: ends where 'chunks' should be");
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 -> 1 chunk 0 twice\n")),
              "mine:4: 'twice' is more than belongs here");
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 -> 1 chunk 0\nranks 3\n")),
              "mine:5: 'ranks' belongs before the first step");
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 -> 1 chunk 0 into 0..1\n")), "mine:4: 1 chunks do not fit into 2");
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 -> 1 chunk 0\nstep 0: 0 -> 1 chunk 1\n")),
              "mine:5: rank 0 sends to 1 already in step 0 of channel 0");
    EXPECT_EQ(complaint("collective broadcast\nranks 2\nchunks 1\nroot 2\nstep 0: 0 -> 1 chunk 0\n"),
              "mine:5: root 2 is none of 2 ranks");
}

TEST(CustomSchedule, IsRefusedIfItDoesNotDoWhatItsCollectivePromises) {
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 -> 1 chunk 0\n")),
              "mine:4: in the end chunk 1 of member 0 lacks chunk 1 of member 1");
    EXPECT_EQ(complaint(all_gather_of_two("step 0: 0 -> 1 chunk 0\nstep 0: 1 -> 0 chunk 1 reduce\n")),
              "mine:5: in the end chunk 1 of member 0 holds what does not belong there");
    EXPECT_EQ(
        complaint(
            "collective all-reduce\nranks 2\nchunks 1\nstep 0: 0 -> 1 chunk 0 reduce\nstep 1: 0 -> 1 chunk 0 reduce\n"),
        "mine:5: channel 0, step 1: member 1 adds up chunk 0 of member 0 twice");
    // Ranks 1 and 2 sum 0, 1 and 2 in different orders.
    EXPECT_EQ(complaint("collective all-reduce\nranks 3\nchunks 1\nsends input\n"
                        "step 0: 0 -> 1 chunk 0 reduce\nstep 1: 1 -> 0 chunk 0 reduce\n"),
              "mine:6: in the end chunk 0 of member 0 lacks chunk 0 of member 2");
    EXPECT_EQ(complaint("collective broadcast\nranks 3\nchunks 2\nchannels 2\nstep 0: 0 -> 1 chunks 0..1\n"
                        "step 0 channel 1: 0 -> 2 chunks 0..1\n"),
              "mine:6: chunk 0 belongs to channel 0 since line 5");
}

TEST(CustomSchedule, OfAnAllReduceThatAddsUpInDifferentOrdersIsRefused) {
    // Member 0 sums (0 + 1) + 2, member 2 sums (2 + 1) + 0.
    const std::string text =
        "collective all-reduce\nranks 3\nchunks 1\n"
        "step 0: 1 -> 0 chunk 0 reduce\nstep 1: 1 -> 2 chunk 0 reduce\n";
    EXPECT_THAT(complaint(text + "step 2: 0 -> 1 chunk 0\n"), testing::HasSubstr("lacks"));
    EXPECT_EQ(complaint("collective all-reduce\nranks 4\nchunks 1\n"
                        "step 0: 0 -> 1 chunk 0 reduce\nstep 0: 1 -> 0 chunk 0 reduce\n"
                        "step 0: 2 -> 3 chunk 0 reduce\nstep 0: 3 -> 2 chunk 0 reduce\n"
                        "step 1: 0 -> 2 chunk 0 reduce\nstep 1: 2 -> 0 chunk 0 reduce\n"
                        "step 1: 1 -> 3 chunk 0 reduce\nstep 1: 3 -> 1 chunk 0 reduce\n"),
              "");  // a + b is b + a
}

}  // namespace
