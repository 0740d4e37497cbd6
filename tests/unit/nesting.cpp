#include "libsim/config/text_file.hpp"

#include "libsim/config/errors.hpp"
#include "tests/support/repeated.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::config;
using testing::HasSubstr;

std::string refusal_of(const std::string& text, Notation notation) {
    try {
        check_nesting(text, "a.txt", notation);
        return "";
    } catch (const UsageError& error) {
        return error.what();
    }
}

TEST(Nesting, Of64IsAllowedAndOf65IsNot) {
    EXPECT_EQ(refusal_of(repeated(64, "[") + repeated(64, "]"), Notation::json), "");
    EXPECT_EQ(refusal_of("\n" + repeated(65, "[") + repeated(65, "]"), Notation::json),
              "a.txt:2: is nested more than 64 deep");
    EXPECT_EQ(refusal_of("x = " + repeated(65, "["), Notation::toml), "a.txt:1: is nested more than 64 deep");
    EXPECT_EQ(refusal_of(repeated(100, "{\"a\": [1]},\n"), Notation::json), "");
}

TEST(Nesting, IsNotCountedInTextsAndComments) {
    EXPECT_EQ(refusal_of("\"" + repeated(100, "[") + "\\\"" + repeated(100, "{") + "\"", Notation::json), "");
    EXPECT_EQ(refusal_of("# " + repeated(100, "[") + "\nx = '" + repeated(100, "[") + "'", Notation::toml), "");
    EXPECT_EQ(refusal_of("x = \"\"\"\n" + repeated(100, "[") + "\n\"\"\"", Notation::toml), "");
}

TEST(Nesting, OfADottedKeyCountsItsParts) {
    EXPECT_EQ(refusal_of("a" + repeated(63, ".a") + " = 1.5\n", Notation::toml), "");
    EXPECT_EQ(refusal_of("b = 1\na" + repeated(64, ".a") + " = 1", Notation::toml),
              "a.txt:2: a key has more than 64 parts");
    EXPECT_EQ(refusal_of("[a" + repeated(15'000, ".a") + "]", Notation::toml), "a.txt:1: a key has more than 64 parts");
    EXPECT_EQ(refusal_of("x = [" + repeated(1000, "1.5, ") + "]", Notation::toml), "");
}

TEST(Nesting, RefusesATextOfMoreThanAMebibyte) {
    const std::string long_text(longest_string + 1, 'x');
    EXPECT_EQ(refusal_of("[\"" + long_text + "\"]", Notation::json), "a.txt:1: a text has more than 1 MiB");
    EXPECT_EQ(refusal_of("x = '''\n" + long_text + "'''", Notation::toml), "a.txt:2: a text has more than 1 MiB");
}

TEST(Nesting, LeavesATextWithoutEndToTheParser) {
    EXPECT_EQ(refusal_of("x = \"no end\ny = " + repeated(60, "["), Notation::toml), "");
    EXPECT_EQ(refusal_of("\"\\", Notation::json), "");
}

TEST(Nesting, RefusesTextsWhereNoneCanStand) {
    const std::string said = "a text must begin a line, or stand behind = , [ { or the dot of a key";
    for (const char* text : {R"(x = 2"a")", R"(x = [+"a)", "x = 1 'a'", "x = 'a' 'b'", R"(x = 1."a")", "x = [1, 2.'a']",
                             R"(x"a" = 1)", R"(x = {a = 1, b = 2."c"})", "[a] 'b'"}) {
        EXPECT_EQ(refusal_of(text, Notation::toml), "a.txt:1: " + said) << text;
    }
    const std::string right = R"('a'."b" . 'c' = 'd'
[x.'y']
  "z" = ['a',
'b', {"c".'d' = "e", 'f' = 1}]
[["u".'v']]
five = """two at the end"""""
four = '''one'''')";
    EXPECT_EQ(refusal_of(right, Notation::toml), "");
    EXPECT_EQ(refusal_of(R"(x = """three"""""")", Notation::toml), "a.txt:1: " + said);
    EXPECT_EQ(refusal_of(R"([1"a"])", Notation::json), "");
}

TEST(Nesting, RefusesBracketsThatCloseOthers) {
    EXPECT_EQ(refusal_of("x = [\n}", Notation::toml), "a.txt:2: } cannot close [");
    EXPECT_EQ(refusal_of("x = {a = [1, {b = 2]}", Notation::toml), "a.txt:1: ] cannot close {");
    EXPECT_EQ(refusal_of("x = ]\ny = }", Notation::toml), "");  // left to the parser
    EXPECT_EQ(refusal_of("[1}", Notation::json), "");
}

TEST(Nesting, RefusesBracketsBehindWhatIsNoPlaceForAValue) {
    EXPECT_EQ(refusal_of("a = 0['x']", Notation::toml), "a.txt:1: [ must begin a line, or stand behind = , or [");
    EXPECT_EQ(refusal_of("\ne.t.{['x']", Notation::toml), "a.txt:2: { must begin a line, or stand behind = , or [");
    EXPECT_EQ(refusal_of("a = [[1], {b = [2]},\n  [3], # [\n{c = {d = 1}}]\n[e]\n", Notation::toml), "");
    EXPECT_EQ(refusal_of("{\"a\": [1, [2]]}", Notation::json), "");
}

TEST(Nesting, RefusesADateWithoutATimeBehindItsT) {
    const std::string said = "a time must follow the T of a date";
    EXPECT_EQ(refusal_of("a = 2026-01-02Tp3:04", Notation::toml), "a.txt:1: " + said);
    EXPECT_EQ(refusal_of("a = [\n2026-01-02t", Notation::toml), "a.txt:2: " + said);
    EXPECT_EQ(refusal_of("a = 2026-01-02T03:04:05\nx-02Tail = '2026-01-02Tp'\n", Notation::toml), "");
}

TEST(Nesting, RefusesLettersBeyondAsciiOutsideOfTextsAndComments) {
    const std::string said = "only texts and comments may have letters beyond ASCII";
    EXPECT_EQ(refusal_of("a = 1\n\xef\xba\xbf = 2\n", Notation::toml), "a.txt:2: " + said);
    EXPECT_EQ(refusal_of("a = \xc3\xa9", Notation::toml), "a.txt:1: " + said);
    EXPECT_EQ(refusal_of("\"\xc3\xa9\" = '\xc3\xa9' # \xc3\xa9\nb = \"\"\"\n\xc3\xa9\"\"\"\n", Notation::toml), "");
    EXPECT_EQ(refusal_of("{\"a\": \xc3\xa9}", Notation::json), "");  // left to the parser
}

TEST(Nesting, RefusesWhatNoNameOfATableIsMadeOf) {
    const std::string said = "the name of a table must be letters, digits, _ and -, or in quotes";
    EXPECT_EQ(refusal_of("[(", Notation::toml), "a.txt:1: " + said);
    EXPECT_EQ(refusal_of("a = 1\n  [a.\xc3\xa9]\n", Notation::toml), "a.txt:2: " + said);
    EXPECT_EQ(refusal_of("\xef\xbb\xbf[\xff]", Notation::toml), "a.txt:1: " + said);
    const std::string unnamed = "a table has no name, or a part of its name is empty";
    for (const char* text : {"[.", "[", "[[\n", "[]", "[[]]", "[ ]", "[[.a]\nb", "[a.]", "[a . .b]", "[ # a]"}) {
        EXPECT_EQ(refusal_of(text, Notation::toml), "a.txt:1: " + unnamed) << text;
    }
    EXPECT_EQ(refusal_of("[\"\"]\n[[''.b]]\n", Notation::toml), "");  // empty, but quoted
    for (const char* text :
         {"[[[a]]]", "[[[\"\"\".b]", "[\"\"\"a\"\"\"]", "[a[b]", "[[a [b", "[a b]", "[a\"b\"]", "[a = 1]"}) {
        EXPECT_EQ(refusal_of(text, Notation::toml), "a.txt:1: " + said) << text;
    }
    for (const char* text : {"[a", "[[a", "[a.\"b", "[a.\"b\\", "[a # ]", "[a\r\n"}) {
        EXPECT_EQ(refusal_of(text, Notation::toml), "") << "the parser says what it lacks: " << text;
    }
    EXPECT_EQ(refusal_of("[ a . \"b(\\\"\" . 'c)' ] # (\n[[x-1_y]]\nz = [\n[1],\n[(2)]]\n", Notation::toml), "");
}

}  // namespace
