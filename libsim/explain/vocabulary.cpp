#include "libsim/explain/vocabulary.hpp"

#include "libsim/explain/terms.hpp"
#include "libsim/split.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

namespace sim::explain {

namespace {

bool is_of_a_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Every form of every term, longest first, so that the longest match wins.
std::vector<std::pair<std::string, const Term*>> all_forms() {
    std::vector<std::pair<std::string, const Term*>> forms;
    for (const Term& term : vocabulary()) {
        for (const std::string& form : split(term.forms, '|')) {
            forms.emplace_back(form, &term);
        }
    }
    std::stable_sort(forms.begin(), forms.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    return forms;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return result;
}

}  // namespace

std::span<const Term> vocabulary() {
    return terms;
}

std::vector<const Term*> Reader::meet(std::string_view text) {
    std::vector<const Term*> found;
    meet(text, found);
    return found;
}

// At each word boundary, the longest form that matches whole words is the term.
void Reader::meet(std::string_view text, std::vector<const Term*>& found) {
    static const auto forms = all_forms();
    const std::string low = lower(text);
    for (std::size_t at = 0; at < low.size(); ++at) {
        if (!is_of_a_word(low[at]) || (at > 0 && is_of_a_word(low[at - 1]))) {
            continue;
        }
        for (const auto& [form, term] : forms) {
            const std::size_t end = at + form.size();
            if (low.compare(at, form.size(), form) != 0 || (end < low.size() && is_of_a_word(low[end]))) {
                continue;
            }
            if (known_.insert(term).second) {
                meet(term->meaning, found);
                found.push_back(term);
            }
            at = end - 1;
            break;
        }
    }
}

std::vector<std::vector<const Term*>> introductions(const Explanation& explanation) {
    std::vector<std::vector<const Term*>> lists(explanation.sections.size() + 1);
    if (explanation.level != Level::beginner) {
        return lists;
    }
    Reader reader;
    lists[0] = reader.meet(explanation.title + "\n" + explanation.of);
    for (std::size_t i = 0; i < explanation.sections.size(); ++i) {
        lists[i + 1] = reader.meet(title_of(explanation.sections[i].kind) +
                                   ("\n" + text_of(explanation.sections[i], explanation.level)));
    }
    return lists;
}

}  // namespace sim::explain
