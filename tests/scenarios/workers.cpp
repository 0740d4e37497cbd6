#include "tools/command_line/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

using namespace sim::command_line;

TEST(Workers, DoEachNumberOnce) {
    Workers workers(3);
    std::vector<std::atomic<int>> seen(1'000);
    EXPECT_TRUE(workers.for_each(seen.size(), {.block = 7}, [&](std::size_t i) { ++seen[i]; }));
    for (const std::atomic<int>& count : seen) {
        ASSERT_EQ(count, 1);
    }
}

TEST(Workers, AreNotTheThreadThatAsks) {
    Workers workers(2);
    workers.for_each(
        8, {}, [caller = std::this_thread::get_id()](std::size_t) { EXPECT_NE(std::this_thread::get_id(), caller); });
}

TEST(Workers, ThrowWhatTheLowestNumberThrew) {
    Workers workers(3);
    const auto fails = [](std::size_t i) {
        if (i >= 4) {
            throw std::runtime_error(std::to_string(i));
        }
    };
    try {
        workers.for_each(100, {.block = 8}, fails);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "4");
    }
    EXPECT_TRUE(workers.for_each(4, {}, fails));  // and work on
}

TEST(Workers, StopWhenTheyAreTold) {
    Workers workers(2);
    std::atomic<bool> enough = false;
    const bool all = workers.for_each(1'000'000, {.should_stop = [&] { return enough.load(); }}, [&](std::size_t i) {
        if (i == 10) {
            enough = true;
        }
        while (i > 10 && !enough) {
        }
        if (i > 10) {
            std::this_thread::yield();
        }
    });
    EXPECT_TRUE(all || enough);
}

TEST(Workers, TellHowMuchIsDone) {
    Workers workers(2);
    std::size_t notes = 0;
    workers.for_each(50, {.on_progress = [&](std::size_t done) { notes = done; }}, [](std::size_t) {});
    EXPECT_EQ(notes, 50);
}

TEST(OneByOne, IsTheSameWithoutThreads) {
    std::vector<std::size_t> order;
    std::size_t notes = 0;
    EXPECT_TRUE(sim::one_by_one(4, {.on_progress = [&](std::size_t done) { notes = done; }},
                                [&](std::size_t i) { order.push_back(i); }));
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
    EXPECT_EQ(notes, 4);
    EXPECT_FALSE(sim::one_by_one(4, {.should_stop = [&] { return order.size() == 6; }},
                                 [&](std::size_t i) { order.push_back(i); }));
    EXPECT_EQ(order.size(), 6);
}

}  // namespace
