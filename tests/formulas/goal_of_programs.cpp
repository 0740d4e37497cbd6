// Rank programs as GOAL schedules: the operations that are written, and that LogGP gives them the same times.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/error.hpp"
#include "libsim/interop/goal/from_program.hpp"
#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace {

using namespace sim;

// A FLOP takes 1 ns.
Cluster in_bytes() {
    return uniform({.bandwidth = GB_per_s, .flops = FlopRate{1'000'000'000}});
}

std::string written(int ranks, const Program& program, const Cluster& cluster = in_bytes()) {
    std::ostringstream text;
    goal::write_text(text, goal::write_down(replay::Recording(ranks, program), cluster).schedule);
    return text.str();
}

TEST(GoalOfAProgram, IsItsOpsOneAfterAnother) {
    const Program program = [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.compute(Flops{7});
            gpu.send(1, Bytes{64}, Tag{3});
            gpu.log("not a word of it");
        } else {
            gpu.receive(0, Bytes{64}, Tag{3});
        }
    };
    EXPECT_EQ(written(2, program),
              "num_ranks 2\n\nrank 0 {\nl1: calc 7000\nl2: send 64b to 1 tag 3\nl2 requires l1\n}\n"
              "\nrank 1 {\nl1: recv 64b from 0 tag 3\n}\n");
}

TEST(GoalOfAProgram, LetsAsynchronousOpsGoOnUntilTheirWait) {
    const Program program = [](GPU& gpu) {
        const Handle coming = gpu.receive_async(1 - gpu.rank(), Bytes{8});
        gpu.send_async(1 - gpu.rank(), Bytes{8});
        gpu.compute(Flops{1});
        gpu.wait(coming);
        gpu.compute(Flops{2});
    };
    const std::string text = written(2, program);
    EXPECT_EQ(
        text.substr(0, text.find("\nrank 1")),
        "num_ranks 2\n\nrank 0 {\nl1: recv 8b from 1\nl2: send 8b to 1\nl3: calc 1000\nl4: calc 0\nl4 requires l1\n"
        "l4 requires l3\nl5: calc 2000\nl5 requires l4\n}\n");
}

TEST(GoalOfAProgram, PutsStreamsOnCpusOfTheirOwnWithTagsOfTheirOwn) {
    const Program program = [](GPU& gpu) {
        gpu.compute(Flops{1});
        const Handle sent = gpu.on(
            Stream{7}, [&] { gpu.rank() == 0 ? gpu.send(1, Bytes{8}, Tag{5}) : gpu.receive(0, Bytes{8}, Tag{5}); });
        gpu.rank() == 0 ? gpu.send(1, Bytes{9}, Tag{5}) : gpu.receive(0, Bytes{9}, Tag{5});
        gpu.wait(sent);
    };
    EXPECT_EQ(written(2, program),
              "num_ranks 2\n\nrank 0 {\nl1: calc 1000\nl2: send 8b to 1 tag 6 cpu 1 nic 1\nl2 requires l1\n"
              "l3: send 9b to 1 tag 5\nl3 requires l1\nl4: calc 0\nl4 requires l2\nl4 requires l3\n}\n"
              "\nrank 1 {\nl1: calc 1000\nl2: recv 8b from 0 tag 6 cpu 1 nic 1\nl2 requires l1\n"
              "l3: recv 9b from 0 tag 5\nl3 requires l1\nl4: calc 0\nl4 requires l2\nl4 requires l3\n}\n");
}

TEST(GoalOfAProgram, HasACollectiveBySizeAsItsMessages) {
    const Program program = [](GPU& gpu) { all_reduce(gpu, world(gpu), Bytes{10}); };
    EXPECT_EQ(
        written(2, program),
        "num_ranks 2\n\nrank 0 {\nl1: send 5b to 1 tag 2147483648\nl2: recv 5b from 1 tag 2147483648\nl2 requires l1\n"
        "l3: send 5b to 1 tag 2147483648\nl3 requires l2\nl4: recv 5b from 1 tag 2147483648\nl4 requires l3\n}\n"
        "\nrank 1 {\nl1: send 5b to 0 tag 2147483648\nl2: recv 5b from 0 tag 2147483648\nl2 requires l1\n"
        "l3: send 5b to 0 tag 2147483648\nl3 requires l2\nl4: recv 5b from 0 tag 2147483648\nl4 requires l3\n}\n");
}

TEST(GoalOfAProgram, CountsUnitsInBillionthsOrInBytesWhereTheNetworkHasNone) {
    const Program program = [](GPU& gpu) { gpu.rank() == 0 ? gpu.send(1, Units{2}) : gpu.receive(0, Units{2}); };
    const replay::Recording recording(2, program);
    const goal::WrittenProgram units = goal::write_down(recording, gpu_py());
    EXPECT_EQ(units.sizes, Measure::units);
    EXPECT_EQ(units.schedule.ops.front().size, 2'000'000'000);
    Cluster cluster = gpu_py();
    cluster.network = LogGP{};
    cluster.bytes_per_unit = 1000;
    const goal::WrittenProgram bytes = goal::write_down(recording, cluster);
    EXPECT_EQ(bytes.sizes, Measure::bytes);
    EXPECT_EQ(bytes.schedule.ops.front().size, 2000);
}

TEST(GoalOfAProgram, HasOneKindOfSizeAndNoGroupThatStandsForAnother) {
    Cluster both = gpu_py();
    both.network = Uniform{.per_byte = Pace{1, 1}, .per_billionth_unit = Pace{1, 1}};
    const auto refusal = [](const Program& program, const Cluster& cluster) -> std::string {
        try {
            written(2, program, cluster);
        } catch (const ProgramError& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(refusal(
                  [](GPU& gpu) {
                      broadcast(gpu, world(gpu), 0, Units{1});
                      broadcast(gpu, world(gpu), 0, Bytes{1});
                  },
                  both),
              "the program's messages count bytes and units; a GOAL schedule has one size");
    EXPECT_EQ(refusal([](GPU& gpu) { all_reduce(gpu, world(gpu).standing_for(Group::strided(0, 1, 8)), Bytes{1}); },
                      in_bytes()),
              "rank 0: the all-reduce of its group of 2 stands for one of 8, whose other ranks have no messages");
}

// LogGOPSim runs a program of blocking ops with the same times if the receiver pays on match.
TEST(GoalOfAProgram, TakesAsLongUnderLogGPWithoutTheProgram) {
    const LogGP costs{.latency = Duration{1'000'000},
                      .overhead = Duration{200'000},
                      .gap = Duration{500'000},
                      .gap_per_byte = {40, 1},
                      .overhead_per_byte = {3, 1}};
    Cluster cluster = in_bytes();
    cluster.network = costs;
    const Program program = [](GPU& gpu) {
        gpu.compute(Flops{100 * (gpu.rank() + 1)});
        all_reduce(gpu, world(gpu), Bytes{100'000});
        broadcast(gpu, world(gpu), 2, Bytes{5'000});
        gpu.compute(Flops{10});
    };
    const replay::Recording recording(6, program);
    const goal::GoalOutcome outcome =
        goal::run(goal::write_down(recording, cluster).schedule, costs, goal::Charge::match);
    const replay::Replay replayed = recording.replay({.cluster = cluster});
    for (std::size_t rank = 0; rank < 6; ++rank) {
        EXPECT_EQ(outcome.rank_finish[rank], replayed.ranks[rank].end.time_since_epoch().count()) << rank;
    }
}

}  // namespace
