#include "libsim/report/label_letters.hpp"

#include <algorithm>
#include <cctype>

namespace sim::report {

namespace {

constexpr std::size_t longest_meaning = 64;
constexpr std::size_t most_digits = 6;
constexpr const char* decimal_digits = "0123456789";

// The part of a label before its first number, and that number.
struct LabelParts {
    std::string meaning;
    std::string number;

    explicit LabelParts(const std::string& label) {
        const std::size_t at = std::min(label.find_first_of(decimal_digits), label.size());
        const std::size_t end = std::min(label.find_first_not_of(decimal_digits, at), label.size());
        meaning = label.substr(0, at);
        meaning.erase(meaning.find_last_not_of(' ') + 1);
        number = label.substr(at, end - at);
    }
    char letter() const {
        const bool fits = !meaning.empty() && meaning.size() <= longest_meaning && number.size() <= most_digits;
        const auto first = static_cast<unsigned char>(fits ? meaning.front() : ' ');
        return first < 0x80 && std::isalpha(first) != 0 ? static_cast<char>(std::toupper(first)) : ' ';
    }
};

}  // namespace

LabelLetters::LabelLetters(const Timeline& timeline) {
    for (const trace::Span& span : timeline.spans) {
        const bool is_inside = !timeline.counts(span);
        if ((span.kind != OpKind::compute && !is_inside) || labels_.contains(span.label)) {
            continue;
        }
        // Collectives inside a computation have many names but few kinds.
        const std::string* const label = is_inside ? timeline.work_of(span) : span.label;
        labels_.emplace(span.label, label);
        if (!short_forms_.try_emplace(label).second) {
            continue;
        }
        const LabelParts parts(*label);
        const auto [at, is_new] = meanings_.try_emplace(parts.letter(), parts.meaning);
        if (!is_new && at->second != parts.meaning) {
            at->second.clear();
        }
    }
    for (auto& [label, form] : short_forms_) {
        const LabelParts parts(*label);
        const char letter = parts.letter();
        if (letter != ' ' && !meanings_.at(letter).empty()) {
            form = letter + parts.number;
        }
    }
}

const std::string& LabelLetters::short_form(const trace::Span& span) const {
    return short_forms_.at(labels_.at(span.label));
}

}  // namespace sim::report
