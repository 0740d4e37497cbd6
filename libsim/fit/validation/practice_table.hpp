// Practices are data: practices.toml, which is compiled in.
#pragma once

#include "libsim/fit/validation/practice.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::fit {

struct PracticeTable {
    std::vector<Practice> practices;
    std::vector<Recipe> recipes;
};
// Throws UsageError with file, line, key and the allowed values.
PracticeTable practice_table_of(const std::string& text, const std::string& file);

// The shipped file. cmake/ndsim_embed.cmake generates the definition.
struct PracticeFile {
    std::string_view name;
    std::string_view text;
};
std::span<const PracticeFile> practice_files();

}  // namespace sim::fit
