#include "libsim/kernel/parts/intervals.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::kernel;

Time at(int picoseconds) {
    return Time{Duration{picoseconds}};
}

TEST(Intervals, CountWhatTheyCoverOfAnother) {
    Intervals parts;
    parts.note(at(0), at(10));
    parts.note(at(20), at(30));
    EXPECT_EQ(parts.covered({at(5), at(25)}), Duration{5 + 5});
    parts.forget_until(at(10));
    EXPECT_EQ(parts.covered({at(0), at(100)}), Duration{10});
}

TEST(Intervals, JoinWhatTouchesOrOverlaps) {
    const Intervals all = joined({{at(20), at(30)}, {at(0), at(10)}, {at(10), at(12)}, {at(25), at(40)}});
    EXPECT_EQ(all.end() - all.begin(), 2);
    EXPECT_EQ(all.covered({at(0), at(100)}), Duration{12 + 20});
}

TEST(Intervals, CoverTogetherWhatBothCover) {
    Intervals some;
    some.note(at(0), at(10));
    some.note(at(20), at(30));
    Intervals others;
    others.note(at(5), at(22));
    others.note(at(25), at(40));
    EXPECT_EQ(covered_by_both(some, others, {at(0), at(100)}), Duration{5 + 2 + 5});
    EXPECT_EQ(covered_by_both(some, others, {at(8), at(26)}), Duration{2 + 2 + 1});
    EXPECT_EQ(covered_by_both(some, Intervals{}, {at(0), at(100)}), Duration{0});
}

TEST(Intervals, ThatNobodyAsksForTakeNoMoreMemoryThanThoseThatAreLater) {
    Intervals parts;
    for (int i = 0; i < 100'000; ++i) {
        parts.note_after(at(2 * i - 10), at(2 * i), at(2 * i + 1));
    }
    EXPECT_LT(parts.end() - parts.begin(), 30);
    EXPECT_EQ(parts.covered({at(199'990), at(200'000)}), Duration{5});
}

TEST(Intervals, StretchWorkOnlyWhereItIsSlow) {
    Intervals slow;
    slow.note(at(10), at(20));
    // 10 at full speed, 5 during the slow 10, 5 after them.
    EXPECT_EQ(stretched_end(at(0), Duration{20}, {2, 1}, slow), at(25));
    EXPECT_EQ(stretched_end(at(0), Duration{10}, {2, 1}, slow), at(10));
}

}  // namespace
