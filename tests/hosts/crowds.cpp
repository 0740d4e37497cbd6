// Many more ranks than cores: nobody looks for long where others could work, and whoever waits is told how far it is.
#include "ranks/process/doorbells.hpp"
#include "ranks/process/rank_processes.hpp"
#include "tests/support/rank_processes.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Crowds, LookTheLessOftenTheMoreRanksShareACore) {
    EXPECT_EQ(ranks::looks_before_sleep(1, 2), 50);
    EXPECT_EQ(ranks::looks_before_sleep(4, 2), 50);  // two on a core: as with a core for each
    EXPECT_EQ(ranks::looks_before_sleep(64, 2), 3);
    EXPECT_EQ(ranks::looks_before_sleep(64, 128), 50);
    EXPECT_EQ(ranks::looks_before_sleep(3000, 2), 0);
}

TEST(Crowds, OfALongRunSayHowFarTheyHaveComeAndWhatIsFaster) {
    SharedMemory shared;
    ranks::LaunchOptions options{.ranks = ranks::cores() + 1};
    options.progress = 1ms;
    std::string told;
    options.on_notice = [&](const std::string& what) {
        told = what;
        shared->victim = 1;
    };
    const auto result = ranks::launch(options, [&](GPU& gpu) {
        gpu.compute(Units{20});
        while (gpu.rank() == 0 && shared->victim == 0) {  // until it was told
            gpu.now();
        }
        gpu.barrier();
    });
    EXPECT_TRUE(result.ok()) << result.fault->message;
    EXPECT_THAT(told, HasSubstr(std::to_string(ranks::cores() + 1) + " processes have come to "));
    EXPECT_THAT(told, HasSubstr("and fibers would give the same timeline sooner"));
}

TEST(Crowds, SayNothingWhereNoProgressIsWanted) {
    ranks::LaunchOptions options{.ranks = 2};
    options.progress = 0ms;
    int told = 0;
    options.on_notice = [&](const std::string&) { ++told; };
    EXPECT_TRUE(ranks::launch(options, [](GPU& gpu) { gpu.barrier(); }).ok());
    EXPECT_EQ(told, 0);
}
