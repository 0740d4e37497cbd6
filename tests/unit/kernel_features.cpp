// The kernel's features, each alone with the parts that it is handed, and without a kernel.
#include "libsim/kernel/features/collective_store.hpp"
#include "libsim/kernel/features/early_data.hpp"
#include "libsim/kernel/features/losses.hpp"
#include "libsim/kernel/features/open_questions.hpp"
#include "libsim/kernel/features/overlap.hpp"

#include <gmock/gmock.h>

namespace {

using namespace sim;
using namespace sim::kernel;
using namespace std::chrono_literals;
using ::testing::ElementsAre;

const Op one_second{.kind = OpKind::compute, .measure = Measure::units, .amount = Units(10).billionths()};

Op on_stream(OpKind kind, int peer) {
    return {.kind = kind, .stream = Stream{1}, .peer = peer, .tag = 7, .bytes = 8};
}

TEST(EarlyData, WaitsForItsReceiveAndComesInTheOrderSent) {
    Matching matching;
    EarlyData early(matching);
    RankState target;
    EXPECT_FALSE(early.send(0, on_stream(OpKind::send, 1), 4, target));
    EXPECT_FALSE(early.send(0, on_stream(OpKind::send, 1), 5, target));
    for (const std::uint32_t payload : {4U, 5U}) {
        Delivery delivery;
        EXPECT_TRUE(early.receive(1, on_stream(OpKind::receive, 0), delivery));
        EXPECT_EQ(delivery.number, payload);
    }
}

TEST(EarlyData, LetsAProgramGoOnThatWaitedForIt) {
    Matching matching;
    EarlyData early(matching);
    RankState target;
    EXPECT_FALSE(early.receive(1, on_stream(OpKind::receive, 0), target.delivery));
    target.block(on_stream(OpKind::receive, 0), 0);
    EXPECT_TRUE(early.send(0, on_stream(OpKind::send, 1), 4, target));
    EXPECT_EQ(target.delivery.number, 4);
    EXPECT_FALSE(early.send(0, on_stream(OpKind::send, 1), 5, target)) << "it waits no longer";
}

TEST(Losses, CountEveryMessageAndNameTheChannelOfEach) {
    const std::vector<faults::Injection> faults{faults::DropNic{.nic = 1, .at = Time{3s}}};
    const faults::Conditions conditions(faults, 3, gpu_py().network);
    Losses losses(conditions);
    const Op send{.kind = OpKind::send, .peer = 1, .tag = 7};
    EXPECT_FALSE(losses.lose(0, send, Time{2s}));
    EXPECT_TRUE(losses.lose(0, send, Time{3s}));
    EXPECT_TRUE(losses.lose(0, send, Time{4s}));
    EXPECT_EQ(losses.count(), 2);
    EXPECT_TRUE(losses.between(0, 1, 7));
    EXPECT_FALSE(losses.between(0, 2, 7));
}

// 1 s of work beside a stream that is busy from 0.5 s on: 0.5 s alone, then 0.5 s at half the speed.
TEST(Overlap, SlowsAComputationDownOnlyWhileAStreamIsBusy) {
    Cluster cluster = gpu_py();
    cluster.compute.overlap_slowdown = 2;
    const faults::Conditions conditions({}, 1, cluster.network);
    const Prices prices(cluster, 1, conditions);
    const Overlap overlap(prices, conditions);
    RankState self;
    EXPECT_FALSE(overlap.concerns(self, one_second)) << "it has no stream";
    self.queue(Stream{1}).busy.note(Time{500ms}, Time{9s});
    EXPECT_TRUE(overlap.concerns(self, one_second));
    EXPECT_EQ(overlap.end(0, self, one_second, Time{0s}), Time{1500ms});
    const Interval ran = overlap.compute(0, self, one_second, Time{0s});
    EXPECT_EQ(ran.begin, Time{0s});
    EXPECT_EQ(ran.end, Time{1500ms});
    EXPECT_EQ(self.program.clock, ran.end);
    EXPECT_EQ(self.computing, 1500ms);
}

TEST(OpenQuestions, AreDueByTimeThenByRankAndMayOnlyBecomeDueEarlier) {
    OpenQuestions open(3);
    open.ask(2, Time{2s}, false);
    open.ask(1, Time{2s}, false);
    open.ask(0, Time::max(), false);
    EXPECT_EQ(open.due(), 2);
    EXPECT_EQ(open.first()->rank, 1);
    open.may_answer(0, Time{1s});
    open.may_answer(0, Time{3s});
    EXPECT_EQ(open.first()->rank, 0);
    EXPECT_EQ(open.first()->at, Time{1s});
    open.close(0, {});
    EXPECT_EQ(open.first()->rank, 1);
}

TEST(CollectiveStore, ServesTheMembersThatWaitForTheDataOnceAllHaveCome) {
    Ranks ranks(2);
    Groups groups(2);
    CollectiveStore store(2);
    Rendezvous rendezvous(groups);
    const Op collective{.kind = OpKind::collective, .bytes = std::bit_cast<std::uint64_t>(CollectiveWord{})};
    store.bring(0, {0, 4, 8}, true);
    EXPECT_EQ(rendezvous.arrive(0, 0, Time{}, collective, store.begin_collective(0, collective)), nullptr);
    EXPECT_FALSE(store.take(0, 0, Time{}));
    ranks[0].block({.kind = OpKind::take, .amount = 0}, 1);
    store.bring(1, {1, 5, 8}, true);
    const auto* const meeting = rendezvous.arrive(1, 0, Time{}, collective, store.begin_collective(1, collective));
    ASSERT_NE(meeting, nullptr);
    EXPECT_THAT(store.gather(*meeting, groups.group(GroupId::world), ranks), ElementsAre(0));
    EXPECT_EQ(store.taken(0)->takers, 2);
    EXPECT_EQ(store.taken(0)->all[1].number, 5);
    EXPECT_TRUE(store.take(1, 0, Time{})) << "rank 1 had not asked yet";
}

}  // namespace
