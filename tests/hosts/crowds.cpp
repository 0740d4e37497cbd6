// Many more ranks than cores: waiters sleep early so that others can work, and progress is reported to the user.
#include "ranks/process/doorbells.hpp"
#include "ranks/process/rank_processes.hpp"
#include "tests/support/rank_processes.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Crowds, LookTheLessOftenTheMoreRanksShareACore) {
    EXPECT_EQ(ranks::looks_before_sleep(1, 2), 50);
    EXPECT_EQ(ranks::looks_before_sleep(4, 2), 50);  // two per core: as with one core each
    EXPECT_EQ(ranks::looks_before_sleep(64, 2), 3);
    EXPECT_EQ(ranks::looks_before_sleep(64, 128), 50);
    EXPECT_EQ(ranks::looks_before_sleep(3000, 2), 2);
}

TEST(Crowds, RaiseFlagsThatAreTakenDownOnce) {
    std::vector<std::uint64_t> memory(ranks::Flags::bytes_for(130) / sizeof(std::uint64_t));
    EXPECT_EQ(memory.size(), 3U);
    ranks::Flags flags(reinterpret_cast<std::byte*>(memory.data()), 130);
    for (const int rank : {129, 0, 64, 63, 0}) {
        flags.raise(rank);
    }
    std::vector<int> up;
    flags.take_down([&](int rank) { up.push_back(rank); });
    EXPECT_EQ(up, (std::vector<int>{0, 63, 64, 129}));
    flags.take_down([&](int rank) { ADD_FAILURE() << rank << " is still up"; });
}

// With two hundred processes, ops posted without waiting are seen, too, while others keep the supervisor busy.
TEST(Crowds, WhoPostsWithoutWaitingIsNotForgotten) {
    constexpr int count = 200;
    const auto result = ranks::launch({.ranks = count, .hash_timeline = false}, [](GPU& gpu) {
        const int half = gpu.world_size() / 2;
        if (gpu.rank() < half) {
            gpu.compute(Units{1});
            gpu.send(gpu.rank() + half, Units{1});  // carries no data: wakes no one
            usleep(1000);
        } else {
            gpu.receive(gpu.rank() - half, Units{1});
            gpu.report("at", seconds(Time{gpu.now()}));
        }
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    for (const auto& [rank, at] : result.reports.at("at")) {
        EXPECT_EQ(at.front(), 0.21) << rank;
    }
}

TEST(Crowds, OfALongRunSayHowFarTheyHaveComeAndWhatIsFaster) {
    SharedMemory shared;
    ranks::LaunchOptions options{.ranks = ranks::cores() + 1};
    options.progress = 1ms;
    std::string reported;
    options.on_notice = [&](const std::string& what) {
        reported = what;
        shared->victim = 1;
    };
    const auto result = ranks::launch(options, [&](GPU& gpu) {
        gpu.compute(Units{20});
        while (gpu.rank() == 0 && shared->victim == 0) {  // until the notice has come
            gpu.now();
        }
        gpu.barrier();
    });
    EXPECT_TRUE(result.ok()) << result.fault->message;
    EXPECT_THAT(reported, HasSubstr(std::to_string(ranks::cores() + 1) + " processes have come to "));
    EXPECT_THAT(reported, HasSubstr("and fibers would give the same timeline sooner"));
}

TEST(Crowds, OfFibersSayHowFarTheyHaveComeToo) {
    ranks::LaunchOptions options{.ranks = 3, .host = ranks::Host::fiber};
    options.progress = 1ms;
    std::string reported;
    options.on_notice = [&](const std::string& what) { reported = what; };
    const auto result = ranks::launch(options, [&](GPU& gpu) {
        gpu.progress(0.5);
        while (reported.empty()) {
            gpu.send((gpu.rank() + 1) % 3, Units{1});
            gpu.receive((gpu.rank() + 2) % 3, Units{1});
        }
    });
    EXPECT_THAT(reported, testing::MatchesRegex("after 0 s, 3 fibers have come to .* of simulated time, with [0-9]+ "
                                                "messages; 50 % done, about [0-9]+ s left"));
}

TEST(Crowds, SayNothingWhereNoProgressIsWanted) {
    ranks::LaunchOptions options{.ranks = 2};
    options.progress = 0ms;
    int reported = 0;
    options.on_notice = [&](const std::string&) { ++reported; };
    EXPECT_TRUE(ranks::launch(options, [](GPU& gpu) { gpu.barrier(); }).ok());
    EXPECT_EQ(reported, 0);
}
