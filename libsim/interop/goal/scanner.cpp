#include "libsim/interop/goal/scanner.hpp"

#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace sim::goal {

// Requires: a comment begins here.
void Scanner::skip_comment() {
    if (at_[1] == '/') {
        const void* const end = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
        at_ = end == nullptr ? end_ : static_cast<const char*>(end);
        return;
    }
    const std::string_view rest(at_ + 2, static_cast<std::size_t>(end_ - at_ - 2));
    const std::size_t end = rest.find("*/");
    if (end == std::string_view::npos) {
        fail(at_, "this comment has no end: */ is missing");
    }
    at_ = rest.data() + end + 2;
}

bool Scanner::skip_in_line() {
    while (at_ != end_) {
        const char c = *at_;
        if (c == ' ' || c == '\t' || c == '\r') {
            ++at_;
        } else if (c == '/' && at_ + 1 != end_ && (at_[1] == '/' || at_[1] == '*')) {
            skip_comment();
        } else {
            return c != '\n';
        }
    }
    return false;
}

bool Scanner::skip_lines() {
    while (!skip_in_line()) {
        if (at_ == end_) {
            return false;
        }
        ++at_;
    }
    return true;
}

std::string_view Scanner::label(std::string_view what) {
    const char* const from = at_;
    const bool is_letter = at_ != end_ && is_of_word(*at_) && *at_ != '_' && !(*at_ >= '0' && *at_ <= '9');
    if (!is_letter) {
        fail(from, fmt::format("expected {}, not {}", what, found(from)));
    }
    return word();
}

std::int64_t Scanner::number(std::string_view what, std::int64_t most) {
    const char* const from = at_;
    std::int64_t n = 0;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
        const int digit = *at_ - '0';
        if (n > (most - digit) / 10) {
            while (at_ != end_ && *at_ >= '0' && *at_ <= '9') {
                ++at_;
            }
            fail(from, fmt::format("{} must be at most {}, not {}", what, most, std::string_view(from, at_)));
        }
        n = 10 * n + digit;
    }
    if (at_ == from) {
        fail(from, fmt::format("expected {}, a whole number, not {}", what, found(from)));
    }
    return n;
}

std::size_t Scanner::line_of(const char* at) const {
    return 1 + static_cast<std::size_t>(std::count(begin_, at, '\n'));
}

std::string Scanner::found(const char* at) const {
    if (at == end_) {
        return "the end of the text";
    }
    if (*at == '\n' || *at == '\r') {
        return "the end of the line";
    }
    // A word, or any other text up to the next blank.
    const bool is_word = is_of_word(*at);
    const char* end = at + 1;
    while (end != end_ && end - at < 30 && (is_word ? is_of_word(*end) : static_cast<unsigned char>(*end) > ' ')) {
        ++end;
    }
    return fmt::format("\"{}\"", std::string_view(at, end));
}

void Scanner::fail(const char* at, const std::string& what) const {
    const char* line = at;
    while (line != begin_ && line[-1] != '\n') {
        --line;
    }
    throw std::invalid_argument(fmt::format("{}:{}:{}: {}", name_, line_of(at), at - line + 1, what));
}

void Scanner::fail_at_word(const char* at, const std::vector<std::string>& wanted) const {
    const char* end = at;
    while (end != end_ && is_of_word(*end)) {
        ++end;
    }
    const std::string hint = did_you_mean(std::string_view(at, end), wanted);
    fail(at, fmt::format("expected {}, not {}{}", fmt::join(wanted, " or "), found(at), hint));
}

}  // namespace sim::goal
