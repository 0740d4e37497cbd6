#include "libsim/report/passes.hpp"

#include "libsim/report/page/sentence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::report;
using namespace std::chrono_literals;
using testing::IsEmpty;

const std::string forward = "forward of micro-batch 0";
const std::string backward = "backward of micro-batch 0";
const std::string data = "activation";

Span computing(int rank, const std::string& label, Duration begin, Duration end) {
    return {.rank = rank, .label = &label, .begin = Time{begin}, .end = Time{end}};
}

// Rank 0 computes forward until 10 us and backward from 40 us to 60 us; rank 1 receives from 10 us to 12 us, and
// computes from there to 38 us, while rank 0 waits.
Timeline two_stages() {
    Timeline timeline{.title = "two", .ranks = 2};
    timeline.add(computing(0, forward, 0us, 10us));
    timeline.add(computing(0, backward, 40us, 60us));
    timeline.add({.rank = 1,
                  .kind = OpKind::receive,
                  .label = &data,
                  .peer = 0,
                  .begin = Time{0us},
                  .end = Time{12us},
                  .idle = 10us});
    timeline.add(computing(1, forward, 12us, 22us));
    timeline.add(computing(1, backward, 22us, 38us));
    timeline.end = Time{60us};
    return timeline;
}

TEST(PassOf, ALabelNamesItsMicroBatchAndItsDirection) {
    const std::optional<Pass> pass = pass_of("input gradient of micro-batch 13, layer 2");
    ASSERT_TRUE(pass.has_value());
    EXPECT_EQ(pass->micro_batch, 13);
    EXPECT_FALSE(pass->is_forward);
    EXPECT_TRUE(pass_of("forward of micro-batch 0")->is_forward);
}

TEST(PassOf, OtherLabelsAreNoPasses) {
    for (const char* const label :
         {"", "optimizer", "forward", "forward of micro-batch ", "forward of micro-batch -1"}) {
        EXPECT_FALSE(pass_of(label).has_value()) << label;
    }
}

TEST(PassColour, RepeatsAfterSixMicroBatchesAndIsAnotherOneOnTheWayBack) {
    EXPECT_EQ(colour_of({7, true}), "f1");
    EXPECT_EQ(colour_of({7, true}), colour_of({1, true}));
    EXPECT_EQ(colour_of({7, false}), "b1");
}

TEST(PipelineWaits, AreTheFillTheBubbleAndTheDrainOfEachRank) {
    const std::vector<WaitingTime> waits = pipeline_waits(two_stages());
    ASSERT_EQ(waits.size(), 3U);
    const auto is = [](const WaitingTime& one, int rank, PipelineWait wait, Duration begin, Duration end) {
        return one.rank == rank && one.wait == wait && one.begin == Time{begin} && one.end == Time{end};
    };
    EXPECT_TRUE(is(waits[0], 0, PipelineWait::bubble, 10us, 40us));
    EXPECT_TRUE(is(waits[1], 1, PipelineWait::fill, 0us, 10us));
    EXPECT_TRUE(is(waits[2], 1, PipelineWait::drain, 38us, 60us));
}

TEST(PipelineWaits, AreNotThoseOfRanksThatAllBeginAtOnce) {
    Timeline timeline = two_stages();
    std::erase_if(timeline.spans, [](const Span& span) { return span.rank == 1; });
    timeline.add(computing(1, forward, 0us, 10us));
    EXPECT_THAT(pipeline_waits(timeline), IsEmpty());
}

TEST(PipelineWaits, DoNotIncludeACollective) {
    Timeline timeline = two_stages();
    timeline.add(
        {.rank = 1, .kind = OpKind::collective, .label = &data, .begin = Time{38us}, .end = Time{60us}, .idle = 20us});
    EXPECT_EQ(pipeline_waits(timeline).size(), 2U);
}

// 56 of 120 us are passes, 2 us a message, and 30 + 10 + 22 us waits.
TEST(SentenceOf, APipelineNamesItsFillItsBubblesAndItsDrain) {
    EXPECT_EQ(sentence_of(two_stages()),
              "The GPUs compute 46.7 % of the time, communicate 1.7 % and wait for each other 51.7 %: the pipeline's "
              "fill takes 8.3 %, its bubbles 25.0 % and its drain 18.3 %.");
}

TEST(SentenceOf, ASingleRankComputesUnlessItCommunicatesWithThoseItStandsFor) {
    Timeline timeline{.title = "one", .ranks = 1};
    timeline.add(computing(0, forward, 0us, 10us));
    EXPECT_EQ(sentence_of(timeline), "The GPU computes 100.0 % of the time.");
    timeline.add({.kind = OpKind::collective, .label = &data, .begin = Time{10us}, .end = Time{20us}});
    EXPECT_EQ(sentence_of(timeline),
              "The GPUs compute 50.0 % of the time, communicate 50.0 % and wait for each other 0.0 %.");
}

TEST(SentenceOf, ARunThatFailedSaysNothing) {
    Timeline timeline = two_stages();
    timeline.fault = "rank 1 died";
    EXPECT_EQ(sentence_of(timeline), "");
}

TEST(Coordinates, LeaveOutAxesOnWhichAllRanksAreTheSame) {
    Timeline timeline{.ranks = 4};
    timeline.add_axis("pp", {0, 0, 1, 1});
    timeline.add_axis("cp", {0, 0, 0, 0});
    timeline.add_axis("tp", {0, 1, 0, 1});
    EXPECT_EQ(timeline.coordinates_of(3), "pp 1, tp 1");
    EXPECT_EQ(Timeline{}.coordinates_of(0), "");
}

}  // namespace
