// Plain text cannot control a terminal.
#include "libsim/plain_text.hpp"

#include <gtest/gtest.h>

namespace {

using sim::plain_text;

TEST(PlainText, WritesControlCharactersOut) {
    EXPECT_EQ(plain_text("\x1b[2Jred"), "\\x1b[2Jred");
    EXPECT_EQ(plain_text(std::string_view("a\0b\x7f\r", 5)), "a\\x00b\\x7f\\x0d");
    EXPECT_EQ(plain_text("\xc2\x9b"
                         "31m"),
              "\\x9b31m")
        << "the one-character form of ESC [";
}

TEST(PlainText, KeepsLinesTabsAndOtherLetters) {
    const std::string kept = "a\tb\nRänge → 10 µs, 階段 …\xc2\xa0";
    EXPECT_EQ(plain_text(kept), kept);
}

TEST(PlainText, WritesOutBytesThatAreNoUtf8) {
    EXPECT_EQ(plain_text("\x9b"), "\\x9b");
    EXPECT_EQ(plain_text("\xc3("), "\\xc3(");
    EXPECT_EQ(plain_text("a\xe2\x80"), "a\\xe2\\x80");
}

}  // namespace
