#include "libsim/training/listed_names.hpp"

#include <utility>

namespace sim::training {

namespace {

// Removes the text up to the end of the next "…", and returns the text in quotes.
std::string_view take_quoted(std::string_view& text) {
    text.remove_prefix(text.find('"') + 1);
    const std::string_view quoted = text.substr(0, text.find('"'));
    text.remove_prefix(quoted.size() + 1);
    return quoted;
}

// Where the next `name = "` begins that is not the end of a longer key, or npos.
std::size_t next_name(std::string_view text) {
    constexpr std::string_view begin = "name = \"";
    std::size_t at = text.find(begin);
    while (at != std::string_view::npos && at > 0 && text[at - 1] != ' ' && text[at - 1] != '\n') {
        at = text.find(begin, at + 1);
    }
    return at;
}

}  // namespace

std::vector<ListedName> names_listed_in(std::string_view toml) {
    std::vector<ListedName> names;
    for (std::size_t at = next_name(toml); at != std::string_view::npos; at = next_name(toml)) {
        toml.remove_prefix(at);
        ListedName one{.name = take_quoted(toml), .aliases = {}};
        std::string_view rest = toml.substr(0, next_name(toml));
        if (const std::size_t list = rest.find("aliases = ["); list != std::string_view::npos) {
            rest = rest.substr(list, rest.find(']', list) - list);
            while (rest.find('"') != std::string_view::npos) {
                one.aliases.push_back(take_quoted(rest));
            }
        }
        names.push_back(std::move(one));
    }
    return names;
}

}  // namespace sim::training
