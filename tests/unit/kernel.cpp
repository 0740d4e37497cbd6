#include "libsim/kernel/kernel.hpp"

#include "libsim/error.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::kernel;
using namespace std::chrono_literals;

const Op compute{.kind = OpKind::compute, .measure = Measure::units, .amount = Units(10).billionths()};  // 1 s
const Op finish{.kind = OpKind::finish};

Op send(int to, int tag = 0) {
    return {.kind = OpKind::send,
            .measure = Measure::units,
            .peer = to,
            .tag = tag,
            .amount = Units(95).billionths()};  // 1 s
}

Op receive(int from, int tag = 0) {
    return {
        .kind = OpKind::receive, .measure = Measure::units, .peer = from, .tag = tag, .amount = Units(95).billionths()};
}

struct World {
    explicit World(int ranks, Order order = Order::any)
        : groups(ranks), kernel(ranks, gpu_py(), names, groups, {.order = order}) {}
    Names names;
    Groups groups;
    Kernel kernel;
};

TEST(Kernel, GivesEveryRankOneTurnInRankOrderAtTimeZero) {
    World world(3);
    EXPECT_EQ(world.kernel.next_turn(), 0);
    EXPECT_EQ(world.kernel.next_turn(), 1);
    EXPECT_EQ(world.kernel.next_turn(), 2);
    EXPECT_EQ(world.kernel.next_turn(), std::nullopt);
    EXPECT_FALSE(world.kernel.stuck()) << "all ranks are out: they may still act";
}

TEST(Kernel, TakesOpsUntilTheRankBlocksAndSaysHowMany) {
    World world(2);
    const std::vector<Op> ops{compute, receive(1), compute, finish};
    EXPECT_EQ(world.kernel.next_turn(), 0);
    EXPECT_EQ(world.kernel.accept(0, ops), 2U);
    EXPECT_EQ(world.kernel.status(0), Kernel::Status::blocked);
    EXPECT_EQ(world.kernel.next_turn(), 1);
    const std::vector<Op> other{send(0), finish};
    EXPECT_EQ(world.kernel.accept(1, other), 2U);
    EXPECT_EQ(world.kernel.next_turn(), 0);
    EXPECT_EQ(world.kernel.time(0), Time{1s + 50ms}) << "sent from 0 to 1 s, there when the receive was posted at 1 s";
    EXPECT_EQ(world.kernel.accept(0, std::span(ops).subspan(2)), 2U);
    EXPECT_TRUE(world.kernel.all_finished());
    EXPECT_EQ(world.kernel.end(), Time{2s + 50ms});
}

TEST(Kernel, InTimeOrderStopsAfterEveryOpThatTakesTime) {
    World world(2, Order::time);
    const std::vector<Op> ops{compute, compute, finish};
    EXPECT_EQ(world.kernel.next_turn(), 0);
    EXPECT_EQ(world.kernel.accept(0, ops), 1U);
    EXPECT_EQ(world.kernel.next_turn(), 1) << "rank 1 is still at 0 s, rank 0 at 1 s";
}

TEST(Kernel, IsStuckOnceNoRankIsDueOrOutAndOneIsBlocked) {
    World world(2);
    const std::vector<Op> ops{receive(1)};
    const std::vector<Op> other{finish};
    world.kernel.next_turn();
    world.kernel.accept(0, ops);
    world.kernel.next_turn();
    EXPECT_FALSE(world.kernel.stuck());
    world.kernel.accept(1, other);
    EXPECT_TRUE(world.kernel.stuck());
}

TEST(Kernel, RefusesARankThatActsOutOfTurn) {
    World world(1);
    const std::vector<Op> ops{compute};
    EXPECT_ANY_THROW(world.kernel.accept(0, ops));
}

TEST(Kernel, CountsASendersSerialTimeForAsynchronousSends) {
    World world(2);
    Op first = send(1);
    first.stream = Stream::own;
    const std::vector<Op> ops{first, first, {.kind = OpKind::wait, .amount = 1}, finish};
    world.kernel.next_turn();
    world.kernel.accept(0, ops);
    EXPECT_EQ(world.kernel.time(0), Time{2s}) << "one wire: the second send begins when the first has ended";
}

TEST(Kernel, RefusesToJoinAnAsynchronousOpTwice) {
    World world(2);
    Op async = compute;
    async.stream = Stream::own;
    const std::vector<Op> ops{async, {.kind = OpKind::wait, .amount = 0}, {.kind = OpKind::wait, .amount = 0}};
    world.kernel.next_turn();
    EXPECT_EQ(world.kernel.accept(0, ops), 3U);
    EXPECT_EQ(world.kernel.status(0), Kernel::Status::halted);
    ASSERT_TRUE(world.kernel.has_mistake());
    EXPECT_EQ(world.kernel.first_mistake()->place.at, Time{1s});
    EXPECT_THROW(std::rethrow_exception(world.kernel.first_mistake()->error), ProgramError);
}

TEST(Kernel, TwoSimulationsInOneTestDoNotDisturbEachOther) {
    World a(1);
    World b(1);
    const std::vector<Op> one{compute, finish};
    const std::vector<Op> two{compute, compute, finish};
    a.kernel.next_turn();
    b.kernel.next_turn();
    b.kernel.accept(0, two);
    a.kernel.accept(0, one);
    EXPECT_EQ(a.kernel.end(), Time{1s});
    EXPECT_EQ(b.kernel.end(), Time{2s});
}

TEST(Kernel, SimulatedTimeThatLeavesItsRangeIsAnErrorNotAWrongResult) {
    World world(1);
    const Op century{.kind = OpKind::compute, .measure = Measure::units, .amount = INT64_MAX};
    const std::vector<Op> ops{century};
    world.kernel.next_turn();
    EXPECT_THROW(
        {
            for (int i = 0; i < 100; ++i) {
                world.kernel.accept(0, ops);
                world.kernel.next_turn();
            }
        },
        std::overflow_error);
}

}  // namespace
