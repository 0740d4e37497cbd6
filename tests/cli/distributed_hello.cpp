// The first distributed program, as a learner runs it.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace {

using nlohmann::json;
using testing::HasSubstr;

json hello(const std::string& options) {
    const Said said = run_command("distributed_hello --json --quiet " + options);
    EXPECT_EQ(said.exit_code, 0) << options << "\n" << said.err;
    EXPECT_EQ(said.err, "") << options;
    return said.exit_code == 0 ? said.json() : json{};
}

TEST(DistributedHello, LeavesTheSumOfAllRanksOnEveryRankWhichIsAProcessOfItsOwn) {
    const json r = hello("");
    EXPECT_EQ(r["expected"], 6.0);  // 0 + 1 + 2 + 3
    EXPECT_EQ(r["right"], true);
    std::set<long> pids;
    for (const json& rank : r["per_rank"]) {
        const double own = rank["rank"].get<double>();
        EXPECT_EQ(rank["brought"], (json{own, own, own, own}));
        EXPECT_EQ(rank["holds"], (json{6.0, 6.0, 6.0, 6.0}));
        pids.insert(rank["pid"].get<long>());
    }
    EXPECT_EQ(pids.size(), 4);
}

TEST(DistributedHello, TakesSixStepsOfOneUnitEach) {
    const json r = hello("");
    EXPECT_EQ(r["simulated_seconds"], 0.66);  // 6 x (0.05 + 0.01 + 0.05)
    EXPECT_EQ(r["messages"], 24);
}

TEST(DistributedHello, CountsBytesWhereTheProfilePricesBytes) {
    // 2 steps of 467 us + 16 B / 1 GB/s
    EXPECT_EQ(hello("--ranks 2 --profile lab-10gbe")["simulated_seconds"], 2 * 467.016e-6);
}

TEST(DistributedHello, IsTheSameOnFibers) {
    const json processes = hello("--ranks 7 --elements 3");
    const json fibers = hello("--ranks 7 --elements 3 --host fiber");
    EXPECT_EQ(processes["timeline_sha256"], fibers["timeline_sha256"]);
    EXPECT_EQ(processes["expected"], 21.0);
    EXPECT_EQ(fibers["right"], true);
}

TEST(DistributedHello, TellsWhoSaysHelloAndWhatEachHolds) {
    const Said said = run_command("distributed_hello --ranks 2");
    EXPECT_THAT(said.err, HasSubstr("Rank 1: Hello, I am rank 1 of 2\n"));
    EXPECT_THAT(said.err, HasSubstr("Rank 0: I brought 0 and hold 1\n"));
    EXPECT_LT(said.err.find("Rank 0: Hello"), said.err.find("Rank 0: Initiating send"));  // in program order
    EXPECT_THAT(said.out, HasSubstr("the sum of all ranks is 1, and every rank holds it"));
}

TEST(DistributedHello, WithAMismatchFailsAndNamesTheRankThatDisagrees) {
    // With processes, the error names the first two found to disagree; rank 3 is always one of them.
    const Said processes = run_command("distributed_hello --mismatch --quiet");
    EXPECT_EQ(processes.exit_code, 3);
    EXPECT_EQ(processes.out, "");
    EXPECT_THAT(processes.err,
                testing::HasSubstr("\n  rank 3, op 0: all-reduce of 5 units, elements of 8 B   at 0 s\n"));
    const Said said = run_command("distributed_hello --mismatch --quiet --host fiber");
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_EQ(said.err,
              "distributed_hello: collectives do not match in the world\n"
              "  rank 0, op 0: all-reduce of 4 units, elements of 8 B   at 0 s\n"
              "  rank 3, op 0: all-reduce of 5 units, elements of 8 B   at 0 s\n");
}

TEST(DistributedHello, RefusesWhatCannotBe) {
    EXPECT_EQ(refusal("distributed_hello --ranks 0"),
              "distributed_hello: --ranks must be a whole number from 1 to 100000, not 0");
    EXPECT_EQ(refusal("distributed_hello --element 2"),
              "distributed_hello: unknown option --element; did you mean --elements?");
}

}  // namespace
