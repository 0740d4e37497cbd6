// A name is looked up as people type it: capital letters, hyphens, blanks and underscores do not matter, decimal points
// only where they tell two names apart, and some words of a name will do where they are of no other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

// A row of some table may have several names.
struct KnownName {
    std::string name;
    std::size_t row = 0;
};

// The row that has this name, however it is written: "Llama-3.1-8B" and "llama_3.1_8b" are llama3.1-8b.
std::optional<std::size_t> row_called(std::string_view typed, const std::vector<KnownName>& known);

// The only row of which a name has these words side by side: "p5" is p5.48xlarge, but not p5en.48xlarge, and "4090" is
// rtx-4090.
std::optional<std::size_t> row_with_words(std::string_view typed, const std::vector<KnownName>& known);

// The row that is called so, or else the only one that has these words.
std::optional<std::size_t> row_meant(std::string_view typed, const std::vector<KnownName>& known);

// "; did you mean NAME?", "; it may be NAME, NAME or NAME", or nothing. A name whose first digit is another one is
// another thing, and is not proposed: rtx-6090 is not rtx-4090 with a slip.
std::string name_hint(std::string_view typed, const std::vector<KnownName>& known);

}  // namespace sim
