#include "libsim/predict/critical_path.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

namespace {

using namespace sim;
using namespace sim::predict;
using namespace std::chrono_literals;

// Owns the labels of its spans.
class Spans {
public:
    Span& work(int rank, const char* label, Duration begin, Duration end) {
        return add({.rank = rank, .begin = Time{begin}, .end = Time{end}}, label);
    }
    void message(int from, int to, Duration begin, Duration sent, Duration received) {
        ++messages_;
        add({.rank = from, .kind = OpKind::send, .begin = Time{begin}, .end = Time{sent}, .message = messages_},
            "activation");
        add({.rank = to, .kind = OpKind::receive, .begin = Time{0us}, .end = Time{received}, .message = messages_},
            "activation");
    }
    std::vector<PathPiece> path() const { return critical_path(spans_); }

    void collective(int rank, const char* label, Duration begin, Duration end) {
        add({.rank = rank, .kind = OpKind::collective, .begin = Time{begin}, .end = Time{end}}, label);
    }

private:
    Span& add(Span span, const char* label) {
        labels_.emplace_back(label);
        span.label = &labels_.back();
        spans_.push_back(span);
        return spans_.back();
    }

    std::deque<std::string> labels_;
    std::vector<Span> spans_;
    std::uint64_t messages_ = 0;
};

std::string text_of(const std::vector<PathPiece>& path) {
    std::string text;
    for (const PathPiece& piece : path) {
        const auto us = [](Time time) { return time.time_since_epoch() / 1us; };
        text += fmt::format("{} {}-{} {}{}\n", piece.rank, us(piece.begin), us(piece.end), piece.what,
                            piece.to < 0 ? "" : fmt::format(" to {}", piece.to));
    }
    return text;
}

TEST(CriticalPath, OfOneRankIsAllItDoes) {
    Spans spans;
    spans.work(0, "forward", 0us, 10us);
    spans.work(0, "backward", 10us, 30us);
    EXPECT_EQ(text_of(spans.path()), "0 0-30 backward, forward\n");
}

// Rank 1 waits for rank 0's activations: its own earlier work does not matter.
TEST(CriticalPath, GoesThroughTheMessageThatCameLast) {
    Spans spans;
    spans.work(0, "forward", 0us, 10us);
    spans.message(0, 1, 10us, 12us, 15us);
    spans.work(1, "backward", 0us, 4us);
    spans.work(1, "forward", 15us, 25us);
    EXPECT_EQ(text_of(spans.path()),
              "0 0-10 forward\n"
              "0 10-15 activation to 1\n"
              "1 15-25 forward\n");
}

TEST(CriticalPath, StaysOnARankThatWasBusyWhenTheMessageCame) {
    Spans spans;
    spans.work(0, "forward", 0us, 10us);
    spans.message(0, 1, 10us, 12us, 15us);
    spans.work(1, "backward", 0us, 20us);
    spans.work(1, "forward", 20us, 30us);
    EXPECT_EQ(text_of(spans.path()), "1 0-30 backward, forward\n");
}

// Rank 0 arrives at 10 us and waits 20 us for rank 1.
TEST(CriticalPath, GoesThroughTheRankThatCameLastToACollective) {
    Spans spans;
    spans.work(0, "forward", 0us, 10us);
    spans.work(1, "backward", 0us, 30us);
    spans.collective(0, "all-reduce of the gradient norm", 10us, 35us);
    spans.collective(1, "all-reduce of the gradient norm", 30us, 35us);
    spans.work(0, "optimizer", 35us, 40us);
    EXPECT_EQ(text_of(spans.path()),
              "1 0-35 backward, all-reduce of the gradient norm\n"
              "0 35-40 optimizer\n");
}

// 0 -> 1 -> 0: 10 + 5 us of forward, 20 us of backward, and a message each way.
TEST(CriticalPath, IsSummedUpByWhatIsDone) {
    Spans spans;
    spans.work(0, "forward", 0us, 10us);
    spans.message(0, 1, 10us, 12us, 12us);
    spans.work(1, "forward", 12us, 17us);
    spans.work(1, "backward", 17us, 37us);
    spans.message(1, 0, 37us, 38us, 38us);
    spans.work(0, "optimizer", 38us, 39us);
    const std::vector<PathSum> sums = summed(spans.path());
    ASSERT_EQ(sums.size(), 4U);
    EXPECT_EQ(sums[0].part.work, training::StepWork::backward);
    EXPECT_EQ(sums[1].part.work, training::StepWork::forward);
    EXPECT_EQ(sums[1].part.times, 2);
    EXPECT_EQ(sums[1].part.length, 15us);
    EXPECT_EQ(sums[1].ranks, 2);
    EXPECT_EQ(sums[1].busiest, 0);
    EXPECT_EQ(sums[1].on_busiest, 10us);
    EXPECT_TRUE(sums[2].message);
    EXPECT_EQ(sums[2].part.length, 3us);
    EXPECT_EQ(turns(spans.path()), (std::vector<int>{0, 1, 0}));
}

TEST(CriticalPath, TurnsWhereItGoesBack) {
    std::vector<PathPiece> path;
    for (const int rank : {0, 1, 2, 2, 3, 2, 1, 2}) {
        path.push_back({.rank = rank});
    }
    EXPECT_EQ(turns(path), (std::vector<int>{0, 3, 1, 2}));
    EXPECT_TRUE(turns({}).empty());
}

TEST(CriticalPath, OfNothingIsEmpty) {
    EXPECT_TRUE(critical_path({}).empty());
}

TEST(CriticalPath, IsShortenedInTheMiddle) {
    std::vector<PathPiece> path;
    for (int i = 0; i < 20; ++i) {
        path.push_back({i % 4, -1, "work", Time{i * 10us}, Time{(i + 1) * 10us}, {}});
    }
    const std::vector<PathPiece> less = shortened(path, 5);
    ASSERT_EQ(less.size(), 5U);
    EXPECT_EQ(less[2].what, "16 more pieces of 4 ranks in turn");
    EXPECT_EQ(less[2].begin, Time{20us});
    EXPECT_EQ(less[2].end, Time{180us});
    EXPECT_EQ(less[4].end, Time{200us});
}

}  // namespace
