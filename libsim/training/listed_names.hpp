// The names in a data file, found by a search of its text, which takes a hundredth of the time of parsing it: every
// command has the names of all models and machines among its options.
#pragma once

#include <string_view>
#include <vector>

namespace sim::training {

struct ListedName {
    std::string_view name;
    std::vector<std::string_view> aliases;
};

// Each `name = "…"` of the file in order, with the texts of `aliases = ["…", "…"]` between it and the next. Requires:
// keys are written in this form.
std::vector<ListedName> names_listed_in(std::string_view toml);

}  // namespace sim::training
