#include "libsim/config/nesting.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sim::config {

namespace {

class NestingScan {
public:
    NestingScan(std::string_view text, const std::string& file, Notation notation)
        : text_(text), file_(&file), is_toml_(notation == Notation::toml) {}

    void run() {
        at_ = text_.starts_with("\xef\xbb\xbf") ? 3 : 0;  // a mark of UTF-8
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (is_toml_ && c == '[' && line_is_blank_ && depth_ == 0) {
                check_header();
            }
            line_is_blank_ = c == '\n' || (line_is_blank_ && (c == ' ' || c == '\t' || c == '\r'));
            if (c == '"' || (is_toml_ && c == '\'')) {
                skip_string(c);
                continue;
            }
            if (is_toml_ && c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                continue;
            }
            check_letter(c);
            take(c);
            ++at_;
        }
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw UsageError(fmt::format("{}:{}: {}", *file_, line_, what));
    }

    // The name of a table, whose parts have a character at least. toml++ 3.3 reads beyond the text, or stops the
    // program, at some others, and where there is none.
    void check_header() const {
        bool has_part = false;
        for (std::size_t i = at_; i < text_.size() && text_[i] != '\n' && text_[i] != '#'; ++i) {
            const char c = text_[i];
            if (c == '"' || c == '\'') {
                for (++i; i < text_.size() && text_[i] != c && text_[i] != '\n'; ++i) {
                    i += text_[i] == '\\' && c == '"' ? 1U : 0U;
                }
                has_part = true;
                continue;
            }
            const bool is_bare =
                (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
            if (!is_bare && std::string_view(".[] \t\r").find(c) == std::string_view::npos) {
                refuse("the name of a table must be letters, digits, _ and -, or in quotes");
            }
            if ((c == '.' || c == ']') && !has_part) {
                break;
            }
            if (c == ']') {
                return;
            }
            has_part = is_bare || (has_part && c != '.');
        }
        if (!has_part) {
            refuse("a table has no name, or a part of its name is empty");
        }
    }

    // Keys and numbers are of ASCII. toml++ 3.3 ends the program at some letters beyond it.
    void check_letter(char c) const {
        if (is_toml_ && (static_cast<unsigned char>(c) & 0x80U) != 0) {
            refuse("only texts and comments may have letters beyond ASCII");
        }
    }

    void take(char c) {
        switch (c) {
            case '[':
            case '{':
                if (++depth_ > most_nested) {
                    refuse(fmt::format("is nested more than {} deep", most_nested));
                }
                parts_ = 0;
                break;
            case ']':
            case '}':
                depth_ -= depth_ > 0 ? 1 : 0;
                parts_ = 0;
                break;
            case '\n': ++line_; [[fallthrough]];
            case ',':
            case '=': parts_ = 0; break;
            case '.':
                if (++parts_ >= most_nested && is_toml_) {
                    refuse(fmt::format("a key has more than {} parts", most_nested));
                }
                break;
            default: break;
        }
    }

    // From its first quote to behind its last, or to the end of a text that has none.
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
                break;
            }
            if (c == '\n' && !is_long) {
                break;  // it has no end; the parser says so
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
    int depth_ = 0;
    int parts_ = 0;  // of the key that is being read, less one
};

}  // namespace

void check_nesting(const std::string& text, const std::string& file, Notation notation) {
    NestingScan(text, file, notation).run();
}

}  // namespace sim::config
