#include "libsim/trace/timeline_hash.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

struct Sample {
    std::string label = "forward";
    Span span{
        .rank = 1, .kind = OpKind::compute, .label = &label, .begin = Time{Duration{5}}, .end = Time{Duration{9}}};
};

std::string hash_of(const std::vector<Span>& spans) {
    TimelineHash hash(3);
    for (const Span& span : spans) {
        hash.add(span);
    }
    return hash.hex();
}

TEST(Sha256, OfNothingIsThePublishedOne) {
    EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(TimelineHash, ChangesWithRankKindLabelBeginAndEnd) {
    const Sample sample;
    std::vector<Span> spans(6, sample.span);
    const std::string other = "backward";
    spans[1].rank = 2;
    spans[2].kind = OpKind::send;
    spans[3].label = &other;
    spans[4].begin = Time{Duration{6}};
    spans[5].end = Time{Duration{8}};
    std::vector<std::string> hashes;
    for (const Span& span : spans) {
        hashes.push_back(hash_of({span}));
    }
    std::sort(hashes.begin(), hashes.end());
    EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

TEST(TimelineHash, DoesNotDependOnWhichRankWasSimulatedFirst) {
    Sample sample;
    Span other = sample.span;
    other.rank = 0;
    EXPECT_EQ(hash_of({sample.span, other}), hash_of({other, sample.span}));
}

TEST(TimelineHash, DependsOnTheOrderWithinARank) {
    Sample sample;
    Span later = sample.span;
    later.begin = later.end;
    EXPECT_NE(hash_of({sample.span, later}), hash_of({later, sample.span}));
}

TEST(TimelineHash, TellsWhereOneLabelEndsAndTheNextBegins) {
    Sample sample;
    const std::string ab = "ab";
    const std::string a = "a";
    Span one = sample.span;
    one.label = &ab;
    Span two = sample.span;
    two.label = &a;
    EXPECT_NE(hash_of({one}), hash_of({two}));
}

}  // namespace
