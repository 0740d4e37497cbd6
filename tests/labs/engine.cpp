// The grader of the labs: cases and records as JSON, fault lines, predictions, the first difference of two timelines.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/config/errors.hpp"
#include "ranks/lab/call_sites.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/divergence.hpp"
#include "tools/labs/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace sim;
using namespace sim::labs;
using testing::HasSubstr;

namespace {

Case case_of_two() {
    return {.ranks = 2,
            .costs = UniformCosts{.latency_seconds = 1e-6, .bytes_per_second = 1e9}.entries(),
            .given = Given({{"bytes", 1000}, {"half", 0.5}})};
}

void ping(GPU& gpu, const Given& given) {
    gpu.compute("work", Flops{1'000'000});
    if (gpu.rank() == 0) {
        gpu.send(1, "ping", Bytes{given.whole("bytes")});
    } else {
        gpu.receive(0, "ping", Bytes{given.whole("bytes")});
    }
    gpu.allocate("weights", Bytes{64});
    gpu.report("rank", gpu.rank() + 0.5);
}

TEST(LabCases, ComeBackFromTheirJson) {
    const std::string json = lab::to_json({case_of_two()});
    const std::vector<Case> again = lab::cases_from_json("cases", json);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].given["half"], 0.5);
    EXPECT_EQ(lab::to_json(again), json);
}

TEST(LabCases, NameTheNumberThatWasPerhapsMeant) {
    const Given given({{"elements", 3}, {"share", 0.25}});
    EXPECT_THAT([&] { given["element"]; },
                testing::ThrowsMessage<ProgramError>(HasSubstr("no number \"element\"; did you mean elements?")));
    EXPECT_THAT([&] { given.whole("share"); },
                testing::ThrowsMessage<ProgramError>(HasSubstr("0.25, no whole number")));
}

TEST(LabCases, ThatAreNoneAreRefusedWithTheirName) {
    EXPECT_THAT([] { lab::cases_from_json("case.json", "{\"cases\": [{}]}"); },
                testing::ThrowsMessage<config::UsageError>(HasSubstr("case.json: no cases of a lab")));
    EXPECT_THROW(lab::cases_from_json("case.json", "["), config::UsageError);
}

TEST(LabRecords, ComeBackFromTheirJson) {
    for (const auto& program :
         {lab::Program(ping), lab::Program([](GPU&gpu, const Given&) { gpu.receive(1 - gpu.rank(), Bytes{1}); })}) {
        const Record record = play_here(case_of_two(), program);
        const std::string json = lab::to_json({record});
        const std::vector<Record> again = lab::records_from_json("records", json);
        ASSERT_EQ(again.size(), 1U);
        EXPECT_EQ(again[0].end(), record.end());
        EXPECT_EQ(again[0].ok(), record.ok());
        EXPECT_EQ(again[0].reports, record.reports);
        EXPECT_FALSE(first_divergence(again[0], record));
        EXPECT_EQ(lab::to_json(again), json);
    }
}

TEST(Faults, SayWhichOpsTheyAreAbout) {
    const auto fault_of = [](const lab::Program& program, ranks::Host host) {
        return play_here(case_of_two(), program, host).fault.value();
    };
    for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
        const ranks::Fault deadlock = fault_of(
            [](GPU& gpu, const Given&) {
                gpu.compute(Flops{1});
                gpu.receive(1 - gpu.rank(), Bytes{1}, Tag{3});
            },
            host);
        ASSERT_EQ(deadlock.ops.size(), 2U);
        EXPECT_EQ(deadlock.mistake, ranks::Mistake::deadlock);
        EXPECT_EQ(deadlock.ops[1].rank, 1);
        EXPECT_EQ(deadlock.ops[1].op_number, 1U);
        EXPECT_EQ(deadlock.ops[1].what, "receive from 0, tag 3");
        EXPECT_EQ(deadlock.ops[1].waits_for, 0);
        const ranks::Fault mismatch =
            fault_of([](GPU& gpu, const Given&) { all_reduce(gpu, world(gpu), Bytes{gpu.rank() + 1}); }, host);
        ASSERT_EQ(mismatch.ops.size(), 2U);
        EXPECT_EQ(mismatch.mistake, ranks::Mistake::mismatch);
        EXPECT_EQ(mismatch.ops[0].rank, 0);
        EXPECT_EQ(mismatch.ops[1].what, "all-reduce of 2 B");
    }
}

// A call site is one number here: the value of `place` when the op was called.
TEST(CallSites, AreThoseOfTheOpsOfEachRankOnBothHosts) {
    for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
        std::uint64_t place = 0;
        lab::CallSites sites(2, [&place](lab::CallSite& site) { site[0] = place; });
        ranks::LaunchOptions options = lab::launch_options(case_of_two(), host);
        options.port_between = [&sites](Port& port) { return sites.before(port); };
        const Record record = lab::play(options, [&place](GPU& gpu) {
            place = 7;
            gpu.compute(Flops{1});
            place = 8;
            gpu.allocate("no op of its own", Bytes{8});
            gpu.compute(Flops{1});
            place = 9;
            gpu.barrier();
        });
        EXPECT_TRUE(record.ok());
        EXPECT_EQ(sites.of(0, 0)[0], 7U);
        EXPECT_EQ(sites.of(1, 1)[0], 8U);
        EXPECT_EQ(sites.of(1, 2)[0], 9U);
        EXPECT_EQ(sites.of(1, 900)[0], 0U);
    }
}

TEST(CallSites, GiveAHangTheLastOpOfItsRank) {
    std::uint64_t place = 0;
    lab::CallSites sites(2, [&place](lab::CallSite& site) { site[0] = place; });
    EXPECT_FALSE(sites.last_op(1));
    ranks::LaunchOptions options = lab::launch_options(case_of_two(), ranks::Host::process);
    options.port_between = [&sites](Port& port) { return sites.before(port); };
    lab::play(options, [&place](GPU& gpu) {
        gpu.compute(Flops{1});
        place = 7;
        gpu.barrier();
    });
    ranks::Fault hang{.failure = ranks::Failure::rank_hung, .rank = 1};
    lab::add_last_op(hang, sites);
    ASSERT_EQ(hang.ops.size(), 1U);
    EXPECT_EQ(sites.of(1, hang.ops[0].op_number)[0], 7U);
    ranks::Fault deadlock{.failure = ranks::Failure::mismatch_or_deadlock, .rank = 1};
    lab::add_last_op(deadlock, sites);
    EXPECT_TRUE(deadlock.ops.empty());
}

TEST(CallSites, ChangeNoTimeline) {
    const Record without = play_here(case_of_two(), ping);
    lab::CallSites sites(2, [](lab::CallSite&) {});
    ranks::LaunchOptions options = lab::launch_options(case_of_two(), ranks::Host::process);
    options.port_between = [&sites](Port& port) { return sites.before(port); };
    const Given given = case_of_two().given;
    EXPECT_EQ(lab::play(options, [&](GPU& gpu) { ping(gpu, given); }).timeline_sha256, without.timeline_sha256);
}

TEST(Divergence, IsTheEarliestDifferenceInSimulatedTime) {
    const Record right = play_here(case_of_two(), ping);
    const Record slower = play_here(case_of_two(), [](GPU& gpu, const Given& given) {
        gpu.compute("work", Flops{1'000'000 + 1'000'000 * gpu.rank()});
        ping(gpu, given);
    });
    EXPECT_FALSE(first_divergence(right, right));
    const auto divergence = first_divergence(slower, right);
    ASSERT_TRUE(divergence);
    EXPECT_EQ(divergence->at, Time{});
    EXPECT_THAT(divergence->text, HasSubstr("rank 1: yours computes 2000000 FLOPs \"work\", from 0 s to 2 us"));
}

TEST(Predictions, AreReadWithTheirUnits) {
    EXPECT_EQ(read_prediction(labs::Quantity::seconds, "16us"), 16e-6);
    EXPECT_EQ(read_prediction(labs::Quantity::seconds, "1.5 ms"), 1.5e-3);
    EXPECT_EQ(read_prediction(labs::Quantity::seconds, "24 \u00b5s"), 24e-6);
    EXPECT_EQ(read_prediction(labs::Quantity::bytes, "24000 bytes"), 24000);
    EXPECT_EQ(read_prediction(labs::Quantity::number, "2.5x"), 2.5);
    EXPECT_EQ(read_prediction(labs::Quantity::bytes, "2MiB"), 2097152);
    EXPECT_EQ(read_prediction(labs::Quantity::percent, "37.5 %"), 37.5);
    EXPECT_EQ(read_prediction(labs::Quantity::number, "24"), 24);
}

TEST(Predictions, WithoutAUnitOrWithAnotherAreRefused) {
    for (const char* const typed : {"16", "us", "16 MB", "", "-1s", "nan s", "1e400s"}) {
        EXPECT_THROW(read_prediction(labs::Quantity::seconds, typed), config::UsageError) << typed;
    }
    EXPECT_THAT([] { read_prediction(labs::Quantity::seconds, "16"); },
                testing::ThrowsMessage<config::UsageError>("--predict must be a time, such as 16us or 1.5ms, not 16"));
}

TEST(Predictions, OfTheRingAreComparedWithItsTime) {
    const Lab& ring = lab_named("2");
    const PredictionVerdict right = compare_prediction(ring, 1, "24us");
    EXPECT_DOUBLE_EQ(right.truth, 24e-6);
    EXPECT_TRUE(right.within);
    const PredictionVerdict low = compare_prediction(ring, 1, "12us");
    EXPECT_DOUBLE_EQ(low.ratio, 0.5);
    EXPECT_FALSE(low.within);
}

TEST(Labs, AreFoundByNumberAndByName) {
    EXPECT_EQ(lab_named("2").number, 2);
    EXPECT_EQ(lab_named("02").number, 2);
    EXPECT_EQ(lab_named("02-ring-all-reduce").number, 2);
    EXPECT_THAT([] { lab_named("02-ring-all-redcue"); },
                testing::ThrowsMessage<config::UsageError>(HasSubstr("did you mean 02-ring-all-reduce?")));
}

}  // namespace
