#include "libsim/config/typed_numbers.hpp"

#include "libsim/config/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::config;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ByteSizes, AreInPowersOf1024) {
    EXPECT_EQ(byte_size("1K"), 1024);
    EXPECT_EQ(byte_size("8g"), std::int64_t{8} << 30U);
    EXPECT_EQ(byte_size("1.5M"), 1536 * 1024);
    EXPECT_EQ(byte_size("1e6"), 1'000'000);
    EXPECT_EQ(byte_size("1024T"), largest_size);
}

TEST(ByteSizes, AreWholeNumbersAboveZero) {
    for (const char* text : {"", "K", "0", "-1K", "1KB", "1.0001K", "1 K", "0x10", "nan", "inf", "1025T", "1e400"}) {
        EXPECT_EQ(byte_size(text), std::nullopt) << text;
    }
}

TEST(ByteSizes, OfARangeDoubleUnlessItSaysOtherwise) {
    EXPECT_THAT(byte_sizes("--sizes", "1K:8K"), ElementsAre(1024, 2048, 4096, 8192));
    EXPECT_THAT(byte_sizes("--sizes", "1:100:10"), ElementsAre(1, 10, 100));
    EXPECT_THAT(byte_sizes("--sizes", "3:16"), ElementsAre(3, 6, 12));
    EXPECT_THAT(byte_sizes("--sizes", "64,1K,7"), ElementsAre(64, 1024, 7));
    EXPECT_EQ(byte_sizes("--sizes", "1K:8G").size(), 24);
}

std::string complaint(const char* text) {
    try {
        byte_sizes("--sizes", text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(ByteSizes, ThatCannotBeAreRefusedWithWhatWasTyped) {
    EXPECT_EQ(complaint("1K:x"),
              "--sizes must be a list like 1K,64K,1M or a range like 1K:8G or 1K:8G:4 of bytes from 1 to 1024T, not "
              "\"1K:x\"");
    EXPECT_THAT(complaint("1K,,2K"), HasSubstr("not \"1K,,2K\""));
    EXPECT_EQ(complaint("8K:1K"), "--sizes: \"8K:1K\" ends before it begins");
    EXPECT_EQ(complaint("1K:8K:1"), "--sizes: each size of \"1K:8K:1\" must be at least twice the one before");
}

TEST(ByteSizes, AreToldInTheShortestWay) {
    for (const char* text : {"1", "1023", "1K", "1536", "3M", "8G", "1024T"}) {
        EXPECT_EQ(size_text(*byte_size(text)), text);
    }
}

}  // namespace
