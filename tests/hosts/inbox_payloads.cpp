// Bulk transfers between supervisor and rank: payloads, definitions and answers, whatever lengths and places the rank
// claims.
#include "tests/support/rank_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

namespace {

using namespace sim;
using namespace sim::kernel;
using namespace sim::ranks;
using sim::test::WrittenMemory;
using testing::ElementsAre;

// An op whose payload precedes it in the stream.
template <class T>
std::string complaint_after(WrittenMemory& rank, const std::vector<T>& payload, Op op) {
    const auto bytes = std::as_bytes(std::span(payload));
    EXPECT_EQ(rank.payloads.write(bytes), bytes.size());
    op.bytes = bytes.size();
    return rank.complaint(op);
}

std::string complaint_of_group(const std::vector<int>& members, int own = 0) {
    WrittenMemory rank;
    return complaint_after(rank, members, {.kind = define_group, .label = static_cast<Label>(own)});
}

TEST(PayloadsOfARank, AreNoMoreThanThereIsRoomFor) {
    WrittenMemory bytes;
    bytes.memory->out.written = stream_bytes + 1;
    EXPECT_EQ(bytes.complaint(), "rank 0 broke its queue (more payload than there is room for)");
    WrittenMemory pumped;
    pumped.memory->out.written = UINT64_MAX;
    EXPECT_THROW(pumped.inbox.pump(), Inbox::Violation);
    WrittenMemory ops;
    ops.memory->ops_written = op_slots + 1;
    EXPECT_EQ(ops.complaint(), "rank 0 broke its queue (more ops than there is room for)");
    EXPECT_EQ(ops.inbox.last_op(), nullptr);
}

TEST(Groups, OfARankAreOfRanksThatThereAre) {
    constexpr const char* impossible = "rank 0 broke its queue (a group that cannot be)";
    EXPECT_EQ(complaint_of_group({0, 1}), "");
    EXPECT_EQ(complaint_of_group({1}), "");
    EXPECT_EQ(complaint_of_group({0, 0}), impossible);
    EXPECT_EQ(complaint_of_group({}), impossible);
    EXPECT_EQ(complaint_of_group({-1}), impossible);
    EXPECT_EQ(complaint_of_group({0, 2}), "rank 0 broke its queue (a group with ranks that there are not)");
}

TEST(Groups, OfARankMayStandForOthers) {
    EXPECT_EQ(complaint_of_group({0, 0, 1}, 1), "");  // rank 0 represents both
    EXPECT_EQ(complaint_of_group({0, 1}, 2), "rank 0 broke its queue (a group that cannot be)");
    EXPECT_EQ(complaint_of_group({0, 1}, 7), "rank 0 broke its queue (a group that cannot be)");
}

TEST(Groups, OfOthersAreNoneThatARankEnters) {
    WrittenMemory rank;
    const std::vector<int> other{1};
    EXPECT_EQ(complaint_after(rank, other, {.kind = define_group}), "");
    const CollectiveWord word{.group = static_cast<GroupId>(1), .kind = CollectiveKind::all_reduce};
    EXPECT_EQ(rank.complaint(
                  {.kind = OpKind::collective, .peer = -1, .amount = 1, .bytes = std::bit_cast<std::uint64_t>(word)}),
              "rank 0 broke its queue (a collective of others)");
}

TEST(Reports, OfARankHaveANameThatItHasDefined) {
    WrittenMemory rank;
    const std::vector<char> name{'l', 'o', 's', 's'};
    EXPECT_EQ(complaint_after(rank, name, {.kind = define_label}), "");
    const std::vector<double> values{0.5, 0.25};
    EXPECT_EQ(complaint_after(rank, values, {.kind = hand_in, .label = static_cast<Label>(1)}), "");
    EXPECT_THAT(rank.run.reports.at("loss").at(0), ElementsAre(0.5, 0.25));
    EXPECT_EQ(complaint_after(rank, std::vector<double>{}, {.kind = hand_in, .label = static_cast<Label>(1)}), "");
    EXPECT_TRUE(rank.run.reports.at("loss").at(0).empty());
    EXPECT_EQ(complaint_after(rank, values, {.kind = hand_in, .label = static_cast<Label>(2)}),
              "rank 0 broke its queue (an unknown label)");
}

// Such a long name is copied, and its block can be reused.
TEST(Definitions, MayLieInTheArena) {
    WrittenMemory rank;
    rank.arena()[4096] = std::byte{'a'};
    rank.arena()[4097] = std::byte{'b'};
    EXPECT_EQ(rank.complaint({.kind = lay_out, .amount = 4096, .bytes = 2}), "");
    EXPECT_EQ(rank.complaint({.kind = define_label, .bytes = 2}), "");
    EXPECT_EQ(rank.run.names.text(rank.run.names.intern("ab")), "ab");
    EXPECT_EQ(rank.memory->releases_written, 1);
    EXPECT_EQ(rank.memory->releases[0], 4096);
}

TEST(Checkpoints, KeepTheirStateWhereverItLay) {
    WrittenMemory rank;
    const std::vector<char> state{'s', 't'};
    EXPECT_EQ(complaint_after(rank, state, {.kind = OpKind::checkpoint, .peer = 1}), "");
    EXPECT_THAT(rank.run.payloads.take(0, 0).bytes, ElementsAre(std::byte{'s'}, std::byte{'t'}));
    rank.arena()[0] = std::byte{'x'};
    EXPECT_EQ(rank.complaint({.kind = lay_out, .amount = 0, .bytes = 1}), "");
    EXPECT_EQ(rank.complaint({.kind = OpKind::checkpoint, .peer = 1, .bytes = 1}), "");
    EXPECT_THAT(rank.run.payloads.take(0, 1).bytes, ElementsAre(std::byte{'x'}));
}

TEST(Blocks, AreOfARankThatHasGivenItsArena) {
    const WrittenMemory other;
    RankMemory memory{};
    ranks::Run run{other.options, Order::any};
    Lines lines{2};
    lines.open(1);
    Arenas arenas{2, other.room, lines};
    Inbox inbox{1, memory, arenas, run};
    memory.ops[0] = {.kind = lay_out, .amount = 0, .bytes = 1};
    memory.ops_written = 1;
    EXPECT_THROW(inbox.fetch(), Inbox::Violation);
}

TEST(Blocks, ThatAreReleasedWaitForRoom) {
    WrittenMemory rank;
    for (std::size_t i = 0; i < release_slots + 10; ++i) {
        rank.inbox.release(i);
    }
    EXPECT_EQ(rank.memory->releases_written, release_slots);
    rank.memory->releases_read = 4;
    rank.inbox.release(1'000);
    EXPECT_EQ(rank.memory->releases_written, release_slots + 4);
    EXPECT_EQ(rank.memory->releases[3], release_slots + 3);
    rank.memory->releases_read = release_slots;
    rank.inbox.release(1'001);
    EXPECT_EQ(rank.memory->releases_written, release_slots + 12);
    EXPECT_EQ(rank.memory->releases[11], 1'001);
}

std::vector<std::byte> counted(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::byte>(i % 251);
    }
    return bytes;
}

TEST(Answers, ThatAreLongerThanTheStreamGoThereAsTheRankReads) {
    WrittenMemory rank;
    const std::vector<std::byte> sent = counted(stream_bytes + 1'000);
    rank.inbox.answer(Time{Duration{7}}, {.bytes = sent});
    EXPECT_EQ(rank.memory->answer_time, 7);
    EXPECT_EQ(rank.memory->answer_bytes, sent.size());
    EXPECT_EQ(rank.memory->answer_place, 0);
    EXPECT_FALSE(rank.inbox.pump());  // the stream is full
    std::vector<std::byte> read(sent.size());
    StreamReader reader(rank.memory->in);
    const std::size_t first = reader.read(read);
    EXPECT_EQ(first, stream_bytes);
    EXPECT_TRUE(rank.inbox.pump());
    EXPECT_EQ(reader.read(std::span(read).subspan(first)), 1'000);
    EXPECT_EQ(read, sent);
    EXPECT_FALSE(rank.inbox.pump());  // all of it is through
}

// A rank whose line is closed cannot be lent anything: it gets a copy.
TEST(Answers, FromAnArenaThatCannotBeLentGoThroughTheStream) {
    WrittenMemory rank;
    NewArena other = make_arena(rank.room).value();
    object_in<std::byte>(other.mapping)[5] = std::byte{9};
    rank.arenas.given(1, other.descriptor.release());
    rank.lines.close_end_of_rank(0);
    const Block block{.rank = 1, .offset = 0, .size = 20'000};
    rank.inbox.answer(Time{}, {.block = block});
    EXPECT_EQ(rank.memory->answer_place, 0);
    std::vector<std::byte> read(block.size);
    EXPECT_EQ(StreamReader(rank.memory->in).read(read), block.size);
    EXPECT_EQ(read[5], std::byte{9});
    EXPECT_FALSE(rank.inbox.block_read());
    EXPECT_EQ(rank.complaint({.kind = OpKind::compute}), "");
    const std::optional<Block> done = rank.inbox.block_read();
    ASSERT_TRUE(done);
    EXPECT_EQ(done->rank, 1);
    EXPECT_FALSE(rank.inbox.block_read());
}

TEST(Answers, OfWhatWasBroughtThroughStreamsHoldTheBytesBehindTheTable) {
    WrittenMemory rank;
    const std::vector<char> brought{'d', 'a', 't', 'a'};
    EXPECT_EQ(complaint_after(rank, brought, {.kind = OpKind::bring, .amount = 1}), "");
    const auto gathering = std::make_shared<Contributions>();
    gathering->all = {{0, 0, 4}, {}};
    gathering->takers = 1;
    rank.inbox.answer_with(Time{}, gathering);
    std::array<std::uint64_t, 1 + 2 * 2> table{};
    StreamReader reader(rank.memory->in);
    reader.read(std::as_writable_bytes(std::span(table)));
    EXPECT_THAT(table, ElementsAre(2, 4, 0, 0, 0));
    std::vector<char> read(4);
    EXPECT_EQ(reader.read(std::as_writable_bytes(std::span(read))), 4);
    EXPECT_EQ(read, brought);
}

TEST(AnInbox, TakesNoWordsOfARankForGranted) {
    WrittenMemory rank;
    for (const double said : {-0.5, 1.5, std::nan(""), HUGE_VAL}) {
        rank.memory->share_done = said;
        EXPECT_EQ(rank.inbox.share_done(), 0) << said;
    }
    rank.memory->share_done = 0.5;
    EXPECT_EQ(rank.inbox.share_done(), 0.5);
    rank.memory->last_words.fill('x');
    EXPECT_EQ(std::string(rank.inbox.last_words()).size(), 1023);
    EXPECT_EQ(rank.inbox.lack(), Lack::nothing);
    rank.memory->lack = Lack::memory;
    EXPECT_EQ(rank.inbox.lack(), Lack::memory);
}

TEST(AStream, WritesNothingWhereItsReaderSaysThatItHasReadWhatWasNeverWritten) {
    WrittenMemory rank;
    rank.memory->in.read = 5;
    EXPECT_EQ(StreamWriter(rank.memory->in).write(counted(10)), 0);
}

}  // namespace
