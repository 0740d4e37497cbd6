#include "libsim/known_name.hpp"

#include "libsim/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter_or_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char small(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

enum class Points { kept, dropped };

// Letters and digits with all else removed; decimal points too, if kept.
std::string letters_of(std::string_view name, Points points) {
    std::string letters;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool decimal =
            name[i] == '.' && i > 0 && i + 1 < name.size() && is_digit(name[i - 1]) && is_digit(name[i + 1]);
        if (is_letter_or_digit(name[i]) || (decimal && points == Points::kept)) {
            letters += small(name[i]);
        }
    }
    return letters;
}

std::string digits_of(std::string_view name) {
    std::string digits;
    std::copy_if(name.begin(), name.end(), std::back_inserter(digits), is_digit);
    return digits;
}

// The words of a name: p5 and 48xlarge for p5.48xlarge.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    for (const char c : name) {
        if (is_letter_or_digit(c)) {
            words.back() += small(c);
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    if (words.back().empty()) {
        words.pop_back();
    }
    return words;
}

// Whether consecutive words of the name spell these letters: llama4scout in llama4-scout-17b.
bool has_words(const std::string& name, const std::string& letters) {
    const std::vector<std::string> words = words_of(name);
    for (std::size_t first = 0; first < words.size() && !letters.empty(); ++first) {
        std::string joined;
        for (std::size_t word = first; word < words.size() && joined.size() < letters.size(); ++word) {
            joined += words[word];
        }
        if (joined == letters) {
            return true;
        }
    }
    return false;
}

// The row whose names alone satisfy `fits`; null if there is none, or more than one.
template <class Fits>
const KnownName* only_one(const std::vector<KnownName>& known, Fits fits) {
    const KnownName* found = nullptr;
    for (const KnownName& one : known) {
        if (fits(one.name)) {
            if (found != nullptr && found->row != one.row) {
                return nullptr;
            }
            found = &one;
        }
    }
    return found;
}

std::vector<std::string> names_with_words(std::string_view typed, const std::vector<KnownName>& known) {
    const std::string letters = letters_of(typed, Points::dropped);
    std::vector<std::string> names;
    for (const KnownName& one : known) {
        if (has_words(one.name, letters)) {
            names.push_back(one.name);
        }
    }
    return names;
}

// A digit that was left out, doubled, swapped with its neighbour, or replaced by an adjacent key. Not the first digit,
// which names a different product.
bool digits_may_slip(const std::string& one, const std::string& other) {
    const bool are_some = !one.empty() && !other.empty() && std::max(one.size(), other.size()) >= 3;
    return one == other || (are_some && one.front() == other.front() && edit_distance(one, other) == 1);
}

}  // namespace

std::optional<std::size_t> row_called(std::string_view typed, const std::vector<KnownName>& known) {
    for (const Points points : {Points::kept, Points::dropped}) {
        const std::string wanted = letters_of(typed, points);
        const KnownName* const one =
            only_one(known, [&](const std::string& name) { return letters_of(name, points) == wanted; });
        if (one != nullptr && !wanted.empty()) {
            return one->row;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> row_with_words(std::string_view typed, const std::vector<KnownName>& known) {
    const std::string letters = letters_of(typed, Points::dropped);
    const KnownName* const one = only_one(known, [&](const std::string& name) { return has_words(name, letters); });
    if (one == nullptr) {
        return std::nullopt;
    }
    return one->row;
}

std::optional<std::size_t> row_meant(std::string_view typed, const std::vector<KnownName>& known) {
    if (const auto row = row_called(typed, known)) {
        return row;
    }
    return row_with_words(typed, known);
}

std::string name_hint(std::string_view typed, const std::vector<KnownName>& known) {
    constexpr std::size_t most = 8;
    if (std::vector<std::string> several = names_with_words(typed, known); !several.empty()) {
        const bool more = several.size() > most;
        several.resize(std::min(most, several.size()));
        const std::string last = more ? "…" : several.back();
        several.pop_back();
        return several.empty() ? fmt::format("; did you mean {}?", last)
                               : fmt::format("; it may be {} or {}", fmt::join(several, ", "), last);
    }
    std::vector<std::string> alike;
    const std::string digits = digits_of(typed);
    for (const KnownName& one : known) {
        if (digits_may_slip(digits, digits_of(one.name)) && (typed.size() > 4 || edit_distance(typed, one.name) < 2)) {
            alike.push_back(one.name);
        }
    }
    std::string plain(typed);
    std::transform(plain.begin(), plain.end(), plain.begin(), small);
    return did_you_mean(plain, alike);
}

}  // namespace sim
