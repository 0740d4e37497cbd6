// Names are looked up as people type them: case, hyphens, blanks and underscores do not matter, decimal points only if
// they distinguish two names, and a few words of a name suffice if no other name has them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

// The names of one row of some table.
struct KnownName {
    std::string name;
    std::size_t row = 0;
};

// The row with this name, however it is written: "Llama-3.1-8B" and "llama_3.1_8b" both find llama3.1-8b.
std::optional<std::size_t> row_called(std::string_view typed, const std::vector<KnownName>& known);

// The only row with a name that contains these consecutive words: "p5" finds p5.48xlarge, not p5en.48xlarge, and "4090"
// finds rtx-4090.
std::optional<std::size_t> row_with_words(std::string_view typed, const std::vector<KnownName>& known);

// The row with this name, or else the only one with these words.
std::optional<std::size_t> row_meant(std::string_view typed, const std::vector<KnownName>& known);

// "; did you mean NAME?", "; it may be NAME, NAME or NAME", or nothing. A name with a different first digit is a
// different product and is not proposed: rtx-6090 is not a typo of rtx-4090.
std::string name_hint(std::string_view typed, const std::vector<KnownName>& known);

}  // namespace sim
