// The scanner reads the words and numbers of a GOAL text in sequence and reports errors with their position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sim::goal {

class Scanner {
public:
    Scanner(std::string_view text, std::string_view name)
        : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), name_(name) {}

    // Skips blanks and comments of this line. Returns whether anything is left on it.
    bool skip_in_line();
    // Skips blanks, comments and ends of lines. Returns whether anything is left.
    bool skip_lines();

    bool at_end() const { return at_ == end_; }
    bool is_at(char c) const { return at_ != end_ && *at_ == c; }
    const char* at() const { return at_; }
    void advance() { ++at_; }

    // Letters, digits and _ from here on; may be empty.
    std::string_view word() {
        const char* const from = at_;
        while (at_ != end_ && is_of_word(*at_)) {
            ++at_;
        }
        return {from, static_cast<std::size_t>(at_ - from)};
    }
    // A word that begins with a letter. `what` describes the expected text in error messages.
    std::string_view label(std::string_view what);
    // A whole number from 0 to `most`.
    std::int64_t number(std::string_view what, std::int64_t most);

    // The token at this position, for error messages: a word, any other text up to the next blank, or an end.
    std::string found(const char* at) const;
    std::size_t line_of(const char* at) const;
    // Throws std::invalid_argument: "NAME:LINE:COLUMN: what".
    [[noreturn]] void fail(const char* at, const std::string& what) const;
    // The same for a word that should have been one of `wanted`.
    [[noreturn]] void fail_at_word(const char* at, const std::vector<std::string>& wanted) const;

private:
    static bool is_of_word(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_';
    }
    void skip_comment();

    const char* begin_;
    const char* at_;
    const char* end_;
    std::string_view name_;
};

}  // namespace sim::goal
