#include "libsim/faults/slowing.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::faults;

Time at(int picoseconds) {
    return Time{Duration{picoseconds}};
}

Slowing between(int from, int until, Pace pace) {
    return {{.from = at(from), .until = at(until)}, pace};
}
constexpr Pace twice{2, 1};
constexpr Pace thrice{3, 1};
constexpr Pace not_at_all{0, 1};

TEST(Slowing, LeavesWorkAloneThatIsDoneBeforeOrBegunAfter) {
    const Slowing slowings[] = {between(10, 20, twice)};
    EXPECT_EQ(end_under(at(0), Duration{10}, slowings), at(10));
    EXPECT_EQ(end_under(at(20), Duration{7}, slowings), at(27));
    EXPECT_EQ(end_under(at(3), Duration{4}, {}), at(7));
}

TEST(Slowing, StretchesThePartOfTheWorkThatFallsIntoIt) {
    const Slowing slowings[] = {between(10, 20, twice)};
    // 10 at full speed, 5 during the slow 10, 5 after them.
    EXPECT_EQ(end_under(at(0), Duration{20}, slowings), at(25));
    EXPECT_EQ(end_under(at(12), Duration{3}, slowings), at(18));
}

TEST(Slowing, OfWhichTwoOverlapMultiplies) {
    const Slowing slowings[] = {between(0, 20, twice), between(10, 30, thrice)};
    // 5 until 10; 1 until 16, at a sixth of the speed; then none of the 6 is left.
    EXPECT_EQ(end_under(at(0), Duration{6}, slowings), at(16));
    // 5 until 10, 1 (10 / 6, rounded down) until 20, 3 (10 / 3) until 30, 1 after that.
    EXPECT_EQ(end_under(at(0), Duration{10}, slowings), at(31));
}

TEST(Slowing, StopsWorkUntilItIsOver) {
    const Slowing slowings[] = {between(10, 50, not_at_all), between(0, 20, twice)};
    EXPECT_EQ(end_under(at(0), Duration{8}, slowings), at(53));
    EXPECT_EQ(end_under(at(10), Duration{1}, slowings), at(51));
    EXPECT_EQ(end_under(at(10), Duration{0}, slowings), at(10));
}

TEST(Slowing, ComesBackAsOftenAsItSays) {
    const Slowing hot[] = {{{.from = at(10), .until = at(20), .every = Duration{100}}, twice}};
    EXPECT_EQ(end_under(at(0), Duration{100}, hot), at(105));
    // 5 are lost from 10 to 20, and 5 from 110 to 120.
    EXPECT_EQ(end_under(at(0), Duration{120}, hot), at(130));
    EXPECT_EQ(end_under(at(1012), Duration{4}, hot), at(1020));
    EXPECT_EQ(end_under(at(1020), Duration{4}, hot), at(1024));
}

TEST(Slowing, NeverLetsWorkGainFromIt) {
    const Slowing slowings[] = {between(3, 14, {7, 5}), between(5, 9, {3, 2})};
    Time last{};
    for (int work = 0; work < 40; ++work) {
        const Time end = end_under(at(0), Duration{work}, slowings);
        EXPECT_GE(end, at(work));
        EXPECT_GE(end, last);
        last = end;
    }
}

TEST(Slowing, ThatStopsForEverHasNoEnd) {
    const Slowing slowings[] = {{{.from = at(5)}, not_at_all}};
    EXPECT_EQ(end_under(at(0), Duration{5}, slowings), at(5));
    EXPECT_THROW(end_under(at(0), Duration{6}, slowings), std::overflow_error);
}

}  // namespace
