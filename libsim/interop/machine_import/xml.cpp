#include "libsim/interop/machine_import/xml.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sim::machine_import {

using namespace config;

namespace {

bool is_xml_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ':';
}

class XmlReader {
public:
    XmlReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::vector<XmlElement> read() {
        if (rest().starts_with("\xef\xbb\xbf")) {
            at_ = 3;
        }
        while (at_ < text_.size()) {
            if (text_[at_] != '<') {
                take_text();
            } else if (rest().starts_with("<!--")) {
                skip_behind("-->", "a comment");
            } else if (rest().starts_with("<?")) {
                skip_behind("?>", "a declaration");
            } else if (rest().starts_with("<!")) {
                refuse("document types and sections are not read here, only elements");
            } else if (rest().starts_with("</")) {
                take_end();
            } else {
                take_begin();
            }
        }
        if (!open_.empty()) {
            const XmlElement& last = elements_[static_cast<std::size_t>(open_.back())];
            refuse(fmt::format("the file ends within <{}> of line {}", last.name, last.line));
        }
        if (elements_.empty()) {
            refuse("there is no element");
        }
        return std::move(elements_);
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw UsageError(fmt::format("{}:{}: {}", file_, line_, why));
    }

    std::string_view rest() const { return text_.substr(at_); }

    void move(std::size_t count) {
        const std::string_view passed = text_.substr(at_, count);
        line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
        at_ += passed.size();
    }

    void skip_behind(std::string_view end, const char* what) {
        const std::size_t found = text_.find(end, at_);
        if (found == std::string_view::npos) {
            refuse(fmt::format("{} that begins here has no end", what));
        }
        move(found + end.size() - at_);
    }

    void take_text() {
        const std::size_t end = std::min(text_.find('<', at_), text_.size());
        const bool blank = std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                       text_.begin() + static_cast<std::ptrdiff_t>(end), is_xml_blank);
        if (!blank && open_.empty()) {
            refuse("there is text outside of the elements: this is no XML");
        }
        move(end - at_);
    }

    void skip_blanks() {
        std::size_t count = 0;
        while (at_ + count < text_.size() && is_xml_blank(text_[at_ + count])) {
            ++count;
        }
        move(count);
    }

    std::string take_name(const char* what) {
        std::size_t count = 0;
        while (at_ + count < text_.size() && is_of_name(text_[at_ + count])) {
            ++count;
        }
        if (count == 0) {
            refuse(fmt::format("{} must have a name", what));
        }
        const std::string name(text_.substr(at_, count));
        move(count);
        return name;
    }

    void expect(char c, const std::string& where) {
        if (at_ >= text_.size() || text_[at_] != c) {
            refuse(fmt::format("{} must go on with {}", shortened(where), c));
        }
        move(1);
    }

    std::string take_value(const std::string& key) {
        skip_blanks();
        expect('=', fmt::format("the attribute {}", key));
        skip_blanks();
        const char quote = at_ < text_.size() ? text_[at_] : ' ';
        if (quote != '"' && quote != '\'') {
            refuse(fmt::format("the value of {} must stand in quotes", shortened(key)));
        }
        const std::size_t end = text_.find(quote, at_ + 1);
        const std::string_view value = text_.substr(at_ + 1, end == std::string_view::npos ? 0 : end - at_ - 1);
        if (end == std::string_view::npos || value.find('<') != std::string_view::npos) {
            refuse(fmt::format("the value of {} has no end", shortened(key)));
        }
        move(value.size() + 2);
        return decoded(value);
    }

    static std::string decoded(std::string_view value) {
        std::string text;
        constexpr std::pair<std::string_view, char> names[] = {
            {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
        while (!value.empty()) {
            const auto at = std::find_if(std::begin(names), std::end(names),
                                         [&](const auto& one) { return value.starts_with(one.first); });
            text += at == std::end(names) ? value.front() : at->second;
            value.remove_prefix(at == std::end(names) ? 1 : at->first.size());
        }
        return text;
    }

    void take_begin() {
        if (open_.empty() && !elements_.empty()) {
            refuse("there is a second element beside the root");
        }
        if (open_.size() >= static_cast<std::size_t>(most_nested)) {
            refuse(fmt::format("is nested more than {} deep", most_nested));
        }
        XmlElement element{.name = "", .line = line_, .parent = open_.empty() ? -1 : open_.back(), .attributes = {}};
        move(1);
        element.name = take_name("an element");
        for (skip_blanks(); at_ < text_.size() && text_[at_] != '>' && text_[at_] != '/'; skip_blanks()) {
            const std::string key = take_name("an attribute");
            if (element.attribute(key.c_str()) != nullptr) {
                refuse(fmt::format("<{}> has the attribute {} twice", element.name, shortened(key)));
            }
            element.attributes.emplace_back(key, take_value(key));
        }
        const bool closed = at_ < text_.size() && text_[at_] == '/';
        move(closed ? 1 : 0);
        expect('>', fmt::format("<{}", element.name));
        elements_.push_back(std::move(element));
        if (!closed) {
            open_.push_back(static_cast<int>(elements_.size()) - 1);
        }
    }

    void take_end() {
        move(2);
        const std::string name = take_name("the end of an element");
        skip_blanks();
        expect('>', fmt::format("</{}", name));
        const std::string open = open_.empty() ? "" : elements_[static_cast<std::size_t>(open_.back())].name;
        if (open != name) {
            refuse(open.empty() ? fmt::format("</{}> ends nothing", shortened(name))
                                : fmt::format("</{}> stands where </{}> must", shortened(name), shortened(open)));
        }
        open_.pop_back();
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::vector<XmlElement> elements_;
    std::vector<int> open_;
};

}  // namespace

const std::string* XmlElement::attribute(const char* key) const {
    const auto at =
        std::find_if(attributes.begin(), attributes.end(), [&](const auto& one) { return one.first == key; });
    return at == attributes.end() ? nullptr : &at->second;
}

std::vector<XmlElement> read_xml(const std::string& text, const std::string& file) {
    return XmlReader(text, file).read();
}

}  // namespace sim::machine_import
