// The text view of an explanation, for people.
#include "libsim/explain/explanation.hpp"
#include "libsim/explain/section_text.hpp"
#include "libsim/explain/vocabulary.hpp"

#include <fmt/format.h>

namespace sim::explain {

namespace {

constexpr std::size_t text_width = 110;

std::string introduced(const std::vector<const Term*>& words) {
    std::string text;
    for (const Term* const term : words) {
        text += wrapped(fmt::format("* {}: {}", term->word, term->meaning), text_width, 2);
    }
    return text.empty() ? "" : "  New words\n" + text + "\n";
}

}  // namespace

std::string text_of(const Explanation& explanation) {
    const auto words = introductions(explanation);
    const bool is_brief = explanation.level == Level::brief;
    std::string text = introduced(words[0]);
    text += wrapped(explanation.title, text_width, 0);
    text += is_brief ? wrapped(explanation.subtitle, text_width, 0)
                     : command_text("explains", explanation.of, text_width, 0);
    for (std::size_t i = 0; i < explanation.sections.size(); ++i) {
        const Section& section = explanation.sections[i];
        const std::string title = is_brief ? (i == 0 ? "" : fmt::format("{}\n", title_of(section.kind)))
                                           : fmt::format("{}. {}\n", i + 1, title_of(section.kind));
        const std::string body = text_of(section, explanation.level);
        text += is_brief && body.empty() ? "" : "\n" + introduced(words[i + 1]) + title + body;
    }
    return text;
}

}  // namespace sim::explain
