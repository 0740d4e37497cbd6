// What the supervisor takes from a rank: nothing that the kernel could not bear, whatever the rank has written.
#include "ranks/process/inbox.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>

namespace {

using namespace sim;
using namespace sim::kernel;
using namespace sim::ranks;

// The memory of rank 0 of two, as if the rank had written there.
struct Written {
    LaunchOptions options{.ranks = 2};
    Run run{options, Order::any};
    std::unique_ptr<RankMemory> memory = std::make_unique<RankMemory>();
    Inbox inbox{0, *memory, run};

    // Empty: the op was taken.
    std::string complaint(const Op& op) {
        const std::uint64_t at = memory->ops_written;
        memory->ops[at % op_slots] = op;
        memory->ops_written = at + 1;
        try {
            inbox.fetch();
        } catch (const Inbox::Violation& violation) {
            return violation.what();
        }
        return "";
    }
};

std::string complaint(const Op& op) {
    return Written{}.complaint(op);
}

Op collective(const CollectiveWord& word, int root = -1) {
    return {.kind = OpKind::collective, .peer = root, .amount = 1, .bytes = std::bit_cast<std::uint64_t>(word)};
}

constexpr CollectiveWord all_reduce_by_ring{.kind = CollectiveKind::all_reduce};
const Op send{.kind = OpKind::send, .peer = 1, .amount = 1};

Op on(int stream, Op op) {
    op.stream = static_cast<Stream>(stream);
    return op;
}

constexpr const char* wrong_stream = "rank 0 broke its queue (an op on a stream that cannot have it)";

TEST(Inbox, TakesMessagesCollectivesWaitsAndMarksOnAStream) {
    for (const Op& op : {send, Op{.kind = OpKind::receive, .peer = 1, .amount = -1}, collective(all_reduce_by_ring),
                         Op{.kind = OpKind::enter, .amount = 1, .bytes = collective(all_reduce_by_ring).bytes},
                         Op{.kind = OpKind::wait}, Op{.kind = OpKind::record}}) {
        EXPECT_EQ(complaint(on(1, op)), "") << name_of(op.kind);
        EXPECT_EQ(complaint(on(most_streams, op)), "") << name_of(op.kind);
    }
}

TEST(Inbox, RefusesStreamsThatThereAreNot) {
    for (const int stream : {last_channel_stream + 1, 254}) {
        EXPECT_EQ(complaint(on(stream, send)), wrong_stream) << stream;
        EXPECT_EQ(complaint(on(stream, {.kind = OpKind::record})), wrong_stream) << stream;
    }
}

TEST(Inbox, RefusesWhatOnlyTheMainStreamCanDo) {
    for (const OpKind kind : {OpKind::compute, OpKind::allocate, OpKind::log, OpKind::now, OpKind::finish}) {
        EXPECT_EQ(complaint(on(1, {.kind = kind})), wrong_stream) << name_of(kind);
        EXPECT_EQ(complaint({.kind = kind}), "") << name_of(kind);
    }
    EXPECT_EQ(complaint(on(1, {.kind = OpKind::wait, .bytes = 8})), wrong_stream);  // data comes to the program
}

TEST(Inbox, RefusesAMarkOfTheMainStream) {
    EXPECT_EQ(complaint({.kind = OpKind::record}), wrong_stream);
}

TEST(Inbox, RefusesAsynchronousOpsThatStartNothing) {
    for (const OpKind kind : {OpKind::wait, OpKind::record, OpKind::allocate, OpKind::log, OpKind::now}) {
        EXPECT_EQ(complaint(on(255, {.kind = kind})), wrong_stream) << name_of(kind);
    }
    EXPECT_EQ(complaint(on(255, collective(all_reduce_by_ring))), wrong_stream);
    EXPECT_EQ(complaint(on(255, {.kind = OpKind::compute})), "");
}

TEST(Inbox, RefusesCollectivesThatThereAreNot) {
    constexpr const char* unknown = "rank 0 broke its queue (an unknown collective)";
    constexpr auto all_reduce = CollectiveKind::all_reduce;
    EXPECT_EQ(complaint(collective({.kind = all_reduce, .algorithm = Algorithm::parameter_server})), "");
    EXPECT_EQ(complaint(collective({.kind = all_reduce, .algorithm = static_cast<Algorithm>(9)})), unknown);
    EXPECT_EQ(complaint(collective({.kind = all_reduce, .reduction = static_cast<Reduction>(3)})), unknown);
    EXPECT_EQ(complaint(collective({.kind = static_cast<CollectiveKind>(9)})), unknown);
    EXPECT_EQ(complaint(collective({.group = static_cast<GroupId>(1), .kind = all_reduce})), unknown);
    EXPECT_EQ(complaint(on(1, collective({.kind = all_reduce, .algorithm = static_cast<Algorithm>(255)}))), unknown);
}

TEST(Inbox, RefusesMethodsThatCannotBe) {
    constexpr const char* unknown = "rank 0 broke its queue (an unknown collective)";
    const auto with_tag = [](const CollectiveWord& word, std::int32_t tag) {
        Op op = collective(word);
        op.tag = tag;
        return complaint(op);
    };
    constexpr CollectiveWord ring{.kind = CollectiveKind::all_reduce};
    EXPECT_EQ(with_tag(ring, as_tag(packed({.channels = 32}))), "");
    EXPECT_EQ(with_tag(ring, as_tag(packed({.channels = 33}))), unknown);
    EXPECT_EQ(with_tag(ring, as_tag(packed({.pieces = 1}))), unknown);
    EXPECT_EQ(with_tag(ring, -1), unknown);
    constexpr CollectiveWord levels{.kind = CollectiveKind::all_reduce, .algorithm = Algorithm::hierarchical};
    EXPECT_EQ(with_tag(levels, as_tag(packed({.inner = 2}))), "");
    EXPECT_EQ(with_tag(levels, as_tag(packed({.inner = 3}))), unknown);  // of two ranks
    EXPECT_EQ(with_tag(levels, 0), unknown);
    EXPECT_EQ(complaint(collective({.kind = CollectiveKind::all_to_all})), unknown);  // by a ring
}

TEST(Inbox, TakesMessagesWaitsAndMarksOnTheStreamsOfChannels) {
    const auto last = static_cast<int>(stream_of_channel(Stream{most_stream_with_channels}, channels_beside));
    EXPECT_EQ(last, last_channel_stream);
    EXPECT_EQ(complaint(on(last, send)), "");
    EXPECT_EQ(complaint(on(last, {.kind = OpKind::wait})), "");
    EXPECT_EQ(complaint(on(last, {.kind = OpKind::record})), "");
}

TEST(Inbox, RefusesARootThatIsNotInTheGroup) {
    constexpr const char* of_others = "rank 0 broke its queue (a collective of others)";
    for (const CollectiveKind kind :
         {CollectiveKind::broadcast, CollectiveKind::reduce, CollectiveKind::gather, CollectiveKind::scatter}) {
        const CollectiveWord word{.kind = kind, .algorithm = default_algorithm(kind)};
        EXPECT_EQ(complaint(collective(word, 1)), "") << name_of(kind);
        EXPECT_EQ(complaint(collective(word, 2)), of_others) << name_of(kind);
        EXPECT_EQ(complaint(collective(word, -1)), of_others) << name_of(kind);
    }
    EXPECT_EQ(complaint(collective({.kind = CollectiveKind::all_to_all, .algorithm = Algorithm::direct}, -1)), "");
}

TEST(Inbox, TakesNegativeAmountsOfMemoryAlone) {
    EXPECT_EQ(complaint({.kind = OpKind::allocate, .amount = -5}), "");
    EXPECT_EQ(complaint({.kind = OpKind::compute, .amount = -5}), "rank 0 broke its queue (a negative amount)");
    EXPECT_EQ(complaint(on(1, {.kind = OpKind::wait, .amount = -5})), "rank 0 broke its queue (a negative amount)");
}

TEST(Inbox, RefusesAFlagThatIsNeitherOnNorOff) {
    Op op = send;
    const unsigned char neither = 2;
    std::memcpy(reinterpret_cast<unsigned char*>(&op) + offsetof(Op, answer), &neither, 1);
    EXPECT_EQ(complaint(op), "rank 0 broke its queue (a flag that is neither on nor off)");
}

}  // namespace
