#include "libsim/config/text_file.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace sim::config {

namespace {

class NestingScan {
public:
    NestingScan(std::string_view text, const std::string& file, Notation notation)
        : text_(text), file_(&file), is_toml_(notation == Notation::toml) {}

    void run() {
        at_ = text_.starts_with("\xef\xbb\xbf") ? 3 : 0;  // UTF-8 byte order mark
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (is_toml_ && c == '[' && line_is_blank_ && open_.empty()) {
                check_header();
            }
            line_is_blank_ = c == '\n' || (line_is_blank_ && (c == ' ' || c == '\t' || c == '\r'));
            if (c == '"' || (is_toml_ && c == '\'')) {
                check_place_of_text();
                skip_string(c);
                behind_ = c;
                continue;
            }
            if (is_toml_ && c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                continue;
            }
            check_letter(c);
            if (is_toml_) {
                check_place_of_bracket(c);
                check_time(c);
            }
            take(c);
            behind_ = c == ' ' || c == '\t' || c == '\r' ? behind_ : c;
            ++at_;
        }
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw UsageError(fmt::format("{}:{}: {}", *file_, line_, what));
    }

    // A table's name is dotted parts within one or two brackets. On some other texts toml++ 3.3 reads past the end or
    // terminates the program. A name without an end is left to the parser to report.
    void check_header() const {
        std::size_t at = behind_blanks(at_ + (text_.substr(at_, 2) == "[[" ? 2U : 1U));
        for (;;) {
            const std::size_t end = behind_part(at);
            if (end == at) {
                const bool is_empty = std::string_view(".]\n").find(letter_at(at)) != std::string_view::npos;
                refuse(is_empty ? "a table has no name, or a part of its name is empty" : rule_of_names);
            }
            at = behind_blanks(end);
            if (letter_at(at) != '.') {
                break;
            }
            at = behind_blanks(at + 1);
        }
        if (letter_at(at) != ']' && letter_at(at) != '\n') {
            refuse(rule_of_names);
        }
    }
    static constexpr const char* rule_of_names = "the name of a table must be letters, digits, _ and -, or in quotes";

    // Returns a newline also where a comment begins and at the end of the text.
    char letter_at(std::size_t at) const {
        return at >= text_.size() || text_[at] == '\r' || text_[at] == '#' ? '\n' : text_[at];
    }
    std::size_t behind_blanks(std::size_t at) const {
        return std::min(text_.find_first_not_of(" \t", at), text_.size());
    }
    // Returns `at` itself if no part of a name begins there.
    std::size_t behind_part(std::size_t at) const {
        const char first = letter_at(at);
        if (first == '"' || first == '\'') {
            do {
                at += first == '"' && text_[at] == '\\' ? 2U : 1U;
            } while (at < text_.size() && text_[at] != first && text_[at] != '\n');
            return at < text_.size() && text_[at] == first ? at + 1 : at;
        }
        const auto is_bare = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        };
        while (is_bare(letter_at(at))) {
            ++at;
        }
        return at;
    }

    // Elsewhere toml++ 3.3 takes a quote for part of a number, and terminates the program at some characters after it.
    void check_place_of_text() const {
        const bool may_stand = std::string_view("\n=,[{").find(behind_) != std::string_view::npos;
        if (is_toml_ && !may_stand && !(behind_ == '.' && in_key_)) {
            refuse("a text must begin a line, or stand behind = , [ { or the dot of a key");
        }
    }

    // Keys and numbers are ASCII. toml++ 3.3 terminates the program at some characters beyond it.
    void check_letter(char c) const {
        if (is_toml_ && (static_cast<unsigned char>(c) & 0x80U) != 0) {
            refuse("only texts and comments may have letters beyond ASCII");
        }
    }

    void take(char c) {
        switch (c) {
            case '[':
            case '{':
                if (open_.size() >= most_nested) {
                    refuse(fmt::format("is nested more than {} deep", most_nested));
                }
                open_.push_back(c);
                in_key_ = in_key_ || c == '{';
                parts_ = 0;
                break;
            case ']':
            case '}':
                close(c);
                parts_ = 0;
                break;
            case '\n':
                ++line_;
                in_key_ = in_key_ || open_.empty();
                parts_ = 0;
                break;
            case ',':
                in_key_ = !open_.empty() && open_.back() == '{';
                parts_ = 0;
                break;
            case '=':
                in_key_ = false;
                parts_ = 0;
                break;
            case '.':
                if (++parts_ >= most_nested && is_toml_) {
                    refuse(fmt::format("a key has more than {} parts", most_nested));
                }
                break;
            default: break;
        }
    }

    // After a number, toml++ 3.3 reads on into the bracket, and terminates the program at some characters of strings
    // inside the brackets.
    void check_place_of_bracket(char c) const {
        const bool opens = c == '[' || c == '{';
        if (opens && std::string_view("\n=,[").find(behind_) == std::string_view::npos) {
            refuse(fmt::format("{} must begin a line, or stand behind = , or [", c));
        }
    }

    // toml++ 3.3 assumes that a digit follows the T of a date.
    void check_time(char c) const {
        const auto is_digit = [&](std::size_t at) { return at < text_.size() && text_[at] >= '0' && text_[at] <= '9'; };
        const bool is_behind_date =
            (c == 'T' || c == 't') && at_ >= 3 && is_digit(at_ - 1) && is_digit(at_ - 2) && text_[at_ - 3] == '-';
        if (is_behind_date && !in_key_ && !is_digit(at_ + 1)) {
            refuse("a time must follow the T of a date");
        }
    }

    // toml++ 3.3 terminates the program if the brackets do not match.
    void close(char bracket) {
        if (open_.empty()) {
            return;  // the parser reports it
        }
        if (is_toml_ && open_.back() != (bracket == ']' ? '[' : '{')) {
            refuse(fmt::format("{} cannot close {}", bracket, open_.back()));
        }
        open_.pop_back();
    }

    // Skips from the opening quote to after the closing one, or to the end of an unterminated text.
    void skip_string(char quote) {
        const std::size_t begin = at_;
        const std::string_view three = quote == '"' ? R"(""")" : "'''";
        const bool is_long = is_toml_ && text_.substr(at_, 3) == three;
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            line_ += c == '\n' ? 1 : 0;
            if (is_long ? text_.substr(at_, 3) == three : c == quote) {
                at_ += is_long ? 3 : 1;
                for (int more = 0; is_long && more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) {
                    ++at_;  // up to two quotes may precede the closing three
                }
                break;
            }
            if (c == '\n' && !is_long) {
                break;  // unterminated; the parser reports it
            }
            at_ += c == '\\' && quote == '"' ? 2 : 1;
        }
        if (at_ - begin > longest_string) {
            refuse(fmt::format("a text has more than {} MiB", longest_string >> 20U));
        }
    }

    std::string_view text_;
    const std::string* file_;
    bool is_toml_;
    std::size_t at_ = 0;
    int line_ = 1;
    bool line_is_blank_ = true;  // up to here
    char behind_ = '\n';         // the last non-blank character
    bool in_key_ = true;         // rather than in a value
    std::string open_;           // the open brackets, outermost first
    int parts_ = 0;              // dots so far in the current key
};

}  // namespace

void check_nesting(const std::string& text, const std::string& file, Notation notation) {
    NestingScan(text, file, notation).run();
}

}  // namespace sim::config
