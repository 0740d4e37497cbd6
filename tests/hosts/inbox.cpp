// The supervisor takes nothing from a rank that the kernel could not handle, whatever the rank has written.
#include "libsim/collectives/schedules/algorithms.hpp"
#include "tests/support/rank_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>

namespace {

using namespace sim;
using namespace sim::kernel;
using namespace sim::ranks;
using sim::test::WrittenMemory;

std::string complaint(const Op& op) {
    return WrittenMemory{}.complaint(op);
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
    for (const OpKind kind : {OpKind::forget, OpKind::allocate, OpKind::log, OpKind::now, OpKind::finish}) {
        EXPECT_EQ(complaint(on(1, {.kind = kind})), wrong_stream) << name_of(kind);
        EXPECT_EQ(complaint({.kind = kind}), "") << name_of(kind);
    }
    EXPECT_EQ(complaint(on(1, {.kind = OpKind::wait, .bytes = 8})), wrong_stream);  // data is only for the program
}

TEST(Inbox, TakesComputationsOnStreamsThatProgramsName) {
    EXPECT_EQ(complaint(on(1, {.kind = OpKind::compute})), "");
    EXPECT_EQ(complaint(on(most_streams, {.kind = OpKind::compute})), "");
    EXPECT_EQ(complaint(on(most_streams + 1, {.kind = OpKind::compute})), wrong_stream);
}

TEST(Inbox, RefusesQuestionsThatThereAreNot) {
    constexpr const char* unknown = "rank 0 broke its queue (a question that cannot be)";
    const auto by = [](std::uint64_t time) { return Op{.kind = OpKind::test, .tag = 4, .bytes = time}; };
    EXPECT_EQ(complaint(by(INT64_MAX)), "");
    EXPECT_EQ(complaint(by(std::uint64_t{INT64_MAX} + 1)), unknown);
    for (const int of : {-1, 5}) {
        EXPECT_EQ(complaint({.kind = OpKind::test, .tag = of}), unknown) << of;
    }
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
    EXPECT_EQ(with_tag(levels, as_tag(packed({.inner = 3}))), unknown);  // with two ranks
    EXPECT_EQ(with_tag(levels, 0), unknown);
    EXPECT_EQ(complaint(collective({.kind = CollectiveKind::all_to_all})), unknown);  // from a ring
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

TEST(Inbox, TakesWhatIsBesideCollectivesAndTheHostsClockOnTheMainStreamAlone) {
    for (const Op& op : {Op{.kind = OpKind::bring}, Op{.kind = OpKind::bring, .amount = 1}, Op{.kind = OpKind::take},
                         Op{.kind = OpKind::idle, .amount = INT64_MAX}, Op{.kind = OpKind::issue, .amount = -1},
                         Op{.kind = OpKind::issue, .amount = INT64_MAX}}) {
        EXPECT_EQ(complaint(op), "") << name_of(op.kind);
        EXPECT_EQ(complaint(on(1, op)), wrong_stream) << name_of(op.kind);
        EXPECT_EQ(complaint(on(255, op)), wrong_stream) << name_of(op.kind);
    }
}

TEST(Inbox, RefusesTimesBeforeTheRunAndDataOfCollectivesThatCannotBe) {
    constexpr const char* negative = "rank 0 broke its queue (a negative amount)";
    for (const OpKind kind : {OpKind::bring, OpKind::take, OpKind::idle}) {
        EXPECT_EQ(complaint({.kind = kind, .amount = -1}), negative) << name_of(kind);
        EXPECT_EQ(complaint({.kind = kind, .amount = INT64_MIN}), negative) << name_of(kind);
    }
    EXPECT_EQ(complaint({.kind = OpKind::issue, .amount = -2}), negative);
}

TEST(Inbox, TakesCheckpointsWithTheStateThatIsThere) {
    constexpr const char* wrong = "rank 0 broke its queue (a checkpoint that cannot be)";
    const Op reported{.kind = OpKind::checkpoint, .peer = 0, .tag = 3, .amount = 5};
    EXPECT_EQ(complaint(reported), "");
    EXPECT_EQ(complaint(on(most_streams, reported)), "");
    EXPECT_EQ(complaint(on(255, reported)), wrong_stream);
    EXPECT_EQ(complaint({.kind = OpKind::checkpoint, .peer = 0, .tag = -1}), wrong);
    EXPECT_EQ(complaint({.kind = OpKind::checkpoint, .peer = 2}), wrong);
    EXPECT_EQ(complaint({.kind = OpKind::checkpoint, .peer = -1}), wrong);
    EXPECT_EQ(complaint({.kind = OpKind::checkpoint, .peer = 0, .bytes = 8}), wrong);
    EXPECT_EQ(complaint({.kind = OpKind::checkpoint, .peer = 1, .bytes = 8}),
              "rank 0 broke its queue (an op without its payload)");
    EXPECT_EQ(complaint({.kind = OpKind::checkpoint, .peer = 0, .amount = -5}),
              "rank 0 broke its queue (a negative amount)");
}

TEST(Inbox, RefusesMessagesThatCannotBe) {
    constexpr const char* wrong = "rank 0 broke its queue (a message that cannot be)";
    EXPECT_EQ(complaint({.kind = OpKind::receive, .peer = 1, .amount = -1}), "");  // any size
    for (const OpKind kind : {OpKind::send, OpKind::receive}) {
        EXPECT_EQ(complaint({.kind = kind, .peer = 1, .amount = 5}), "") << name_of(kind);
        EXPECT_EQ(complaint({.kind = kind, .peer = -1, .amount = 5}), wrong) << name_of(kind);
        EXPECT_EQ(complaint({.kind = kind, .peer = 2, .amount = 5}), wrong) << name_of(kind);
        EXPECT_EQ(complaint({.kind = kind, .peer = 0, .amount = 5}), wrong) << name_of(kind);  // the rank itself
        EXPECT_EQ(complaint({.kind = kind, .peer = 1, .amount = -2}), wrong) << name_of(kind);
    }
    EXPECT_EQ(complaint({.kind = OpKind::send, .peer = 1, .amount = -1}), wrong);
}

TEST(Inbox, RefusesQuestionsThatCannotBe) {
    constexpr const char* wrong = "rank 0 broke its queue (a question that cannot be)";
    EXPECT_EQ(complaint({.kind = OpKind::look, .peer = any_source, .tag = 3}), "");
    EXPECT_EQ(complaint({.kind = OpKind::look, .peer = 1}), "");
    EXPECT_EQ(complaint({.kind = OpKind::look, .peer = any_source - 1}), wrong);
    EXPECT_EQ(complaint({.kind = OpKind::look, .peer = 2}), wrong);
    EXPECT_EQ(complaint({.kind = OpKind::look, .peer = 0}), wrong);
    EXPECT_EQ(complaint({.kind = OpKind::look, .peer = 1, .tag = -1}), wrong);
    EXPECT_EQ(complaint({.kind = OpKind::look, .peer = 1, .amount = 5}), "");
    EXPECT_EQ(complaint({.kind = OpKind::look, .peer = 1, .amount = -1}), wrong);
}

TEST(Inbox, RefusesOpsMeasuresLabelsAndFlagsThatThereAreNot) {
    constexpr const char* unknown = "rank 0 broke its queue (an unknown kind of op)";
    EXPECT_EQ(complaint({.kind = static_cast<OpKind>(static_cast<int>(OpKind::finish) + 1)}), unknown);
    EXPECT_EQ(complaint({.kind = OpKind::compute, .measure = static_cast<Measure>(99)}), unknown);
    EXPECT_EQ(complaint({.kind = OpKind::compute, .label = static_cast<Label>(1)}), unknown);  // none is defined
    Op op{.kind = OpKind::now};
    const unsigned char neither = 2;
    std::memcpy(reinterpret_cast<unsigned char*>(&op) + offsetof(Op, answer), &neither, 1);
    EXPECT_EQ(complaint(op), "rank 0 broke its queue (a flag that is neither on nor off)");
}

TEST(Inbox, RefusesToBringWhatIsNotThere) {
    constexpr const char* missing = "rank 0 broke its queue (an op without its payload)";
    EXPECT_EQ(complaint({.kind = OpKind::bring, .bytes = 1}), missing);
    EXPECT_EQ(complaint({.kind = OpKind::bring, .bytes = any_bytes}), missing);
    WrittenMemory other;
    EXPECT_EQ(other.complaint({.kind = lay_out, .amount = 0, .bytes = 10}), "");
    EXPECT_EQ(other.complaint({.kind = OpKind::bring, .bytes = 11}),
              "rank 0 broke its queue (an op with another payload than it laid out)");
}

TEST(Inbox, LendsBroughtDataByItsPlaceInTheArenaUntilTheRankGoesOn) {
    WrittenMemory written;
    const Block block{.rank = 0, .offset = 8192, .size = 20'000};
    EXPECT_EQ(written.complaint({.kind = lay_out, .amount = 8192, .bytes = 20'000}), "");
    EXPECT_EQ(written.complaint({.kind = OpKind::bring, .amount = 1, .bytes = 20'000}), "");
    const auto gathering = std::make_shared<Contributions>();
    gathering->all = {{0, 0, 20'000}, {}};
    gathering->takers = 1;
    written.inbox.answer_with(Time{}, gathering);
    std::uint64_t table[1 + 2 * 2] = {};
    StreamReader(written.memory->in).read(std::as_writable_bytes(std::span(table)));
    EXPECT_THAT(table, testing::ElementsAre(2, 20'000, written.arenas.places().of(block) + 1, 0, 0));
    EXPECT_EQ(written.inbox.gathering_read(), nullptr);
    EXPECT_EQ(written.complaint({.kind = OpKind::compute}), "");
    EXPECT_EQ(written.inbox.gathering_read(), gathering);
    EXPECT_EQ(written.inbox.gathering_read(), nullptr);
}

TEST(Inbox, RefusesAFlagThatIsNeitherOnNorOff) {
    Op op = send;
    const unsigned char neither = 2;
    std::memcpy(reinterpret_cast<unsigned char*>(&op) + offsetof(Op, answer), &neither, 1);
    EXPECT_EQ(complaint(op), "rank 0 broke its queue (a flag that is neither on nor off)");
}

TEST(Inbox, TakesAPayloadFromItsBlock) {
    WrittenMemory written;
    written.arena()[4096 + 29'999] = std::byte{7};
    EXPECT_EQ(written.complaint({.kind = lay_out, .amount = 4096, .bytes = 30'000}), "");
    EXPECT_EQ(written.complaint({.kind = OpKind::send, .peer = 1, .amount = 1, .bytes = 30'000}), "");
    const ranks::Payload payload = written.run.payloads.take(0, 0);
    ASSERT_TRUE(payload.block);
    EXPECT_EQ(payload.block->offset, 4096);
    EXPECT_EQ(written.arenas.bytes(*payload.block)[29'999], std::byte{7});
}

TEST(Inbox, RefusesABlockThatIsNotInItsArena) {
    const std::uint64_t room = arena_bytes(2, SIZE_MAX);
    ASSERT_GT(room, 1'000'000U);
    constexpr const char* wrong = "rank 0 broke its queue (a block that is not in its arena)";
    for (const auto& [offset, bytes] : std::vector<std::pair<std::int64_t, std::uint64_t>>{
             {0, 0}, {0, room + 1}, {-1, 1}, {1, room}, {INT64_MIN, 1}, {0, UINT64_MAX}, {INT64_MAX, 1}}) {
        EXPECT_EQ(complaint({.kind = lay_out, .amount = offset, .bytes = bytes}), wrong) << offset << ", " << bytes;
    }
    WrittenMemory twice;
    EXPECT_EQ(twice.complaint({.kind = lay_out, .amount = 0, .bytes = 10}), "");
    EXPECT_EQ(twice.complaint({.kind = lay_out, .amount = 10, .bytes = 10}), wrong);
    WrittenMemory other;
    EXPECT_EQ(other.complaint({.kind = lay_out, .amount = 0, .bytes = 10}), "");
    EXPECT_EQ(other.complaint({.kind = OpKind::send, .peer = 1, .amount = 1, .bytes = 11}),
              "rank 0 broke its queue (an op with another payload than it laid out)");
}

TEST(Arena, GivesOutItsLowestPlaceAndJoinsWhatComesBack) {
    ArenaBlocks blocks(5 * 4096);
    EXPECT_EQ(blocks.allocate(5000), 0U);  // two pages
    EXPECT_EQ(blocks.allocate(1), 8192U);
    EXPECT_EQ(blocks.allocate(8192), 12288U);
    EXPECT_EQ(blocks.allocate(1), std::nullopt);
    blocks.release(8192);
    blocks.release(0);
    EXPECT_EQ(blocks.allocate(12288), 0U);
    blocks.release(77);  // not in use
    blocks.release(12288);
    blocks.release(0);
    EXPECT_EQ(blocks.allocate(5 * 4096), 0U);
    EXPECT_EQ(ArenaBlocks(0).allocate(1), std::nullopt);
}

}  // namespace
