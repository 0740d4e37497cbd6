// Thousands of random timelines as text: no line is too wide, and none can control a terminal.
#include "libsim/report/text_timeline.hpp"

#include "libsim/report/terminal_text.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <sstream>

namespace {

using namespace sim;
using namespace sim::report;
using sim::test::Random;

std::string any_text(Random& random) {
    std::string text;
    for (int length = random.below(12); length > 0; --length) {
        text += static_cast<char>(random.below(3) == 0 ? random.below(256) : '0' + random.below(70));
    }
    return text;
}

Time any_time(Random& random, int bits) {
    const std::int64_t high = random.below(1 << 30);
    return Time{Duration{(high << 32 | random.below(1 << 30)) >> (62 - bits)}};
}

struct AnyTimeline {
    std::deque<std::string> labels;
    Timeline timeline;
    int bits;

    explicit AnyTimeline(Random& random) : bits(random.below(62)) {
        timeline.title = any_text(random);
        timeline.ranks = 1 + random.below(70);
        for (int spans = random.below(60); spans > 0; --spans) {
            labels.push_back(any_text(random));
            const auto [begin, end] = std::minmax({any_time(random, bits), any_time(random, bits)});
            timeline.add({.rank = random.below(timeline.ranks),
                          .kind = static_cast<OpKind>(random.below(9)),
                          .stream = random.below(3) == 0 ? Stream::own : static_cast<Stream>(random.below(4)),
                          .label = &labels.back(),
                          .begin = begin,
                          .end = end,
                          .idle = (end - begin) / (1 + random.below(3))});
        }
        timeline.rank_names.assign(static_cast<std::size_t>(random.below(5)), any_text(random));
        timeline.pids.assign(static_cast<std::size_t>(random.below(5)), random.below(100'000));
        if (random.below(2) == 0) {
            timeline.fault = any_text(random);
            timeline.fault_rank = random.below(timeline.ranks + 1) - 1;
        }
    }
};

TEST(TextTimelineProperty, EveryLineFitsAndIsHarmless) {
    Random random(11);
    for (int trial = 0; trial < 2'000; ++trial) {
        const AnyTimeline any(random);
        TextStyle style{.width = 22 + random.below(100),
                        .ascii = random.below(2) == 0,
                        .most_rows = random.below(70),
                        .pids = random.below(2) == 0};
        if (random.below(2) == 0) {
            style.until = any_time(random, any.bits);
            style.now = any_time(random, any.bits);
        }
        std::istringstream lines(text_timeline(any.timeline, style));
        for (std::string line; std::getline(lines, line);) {
            ASSERT_LE(columns_of(line), style.width) << "trial " << trial << ": " << line;
            ASSERT_EQ(terminal_text(line, style.width, style.ascii), line) << "trial " << trial;
        }
    }
}

}  // namespace
