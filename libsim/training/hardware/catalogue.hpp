// The catalogue finds the shipped files by name.
#pragma once

#include "libsim/training/hardware/entries.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

// Lower case, without a remark in brackets at the end: "A100-SXM-40GB (DGX A100)" becomes a100-sxm-40gb.
std::string plain_name(std::string_view name);

struct CatalogueFile {
    std::string_view folder;
    std::string name;  // as it is written in the file
    std::string where;
    std::vector<HardwareEntry> entries;
};

// All names as written in the files, in alphabetical order. `folder`: accelerators, generations, machines.
std::vector<std::string> catalogue_names(std::string_view folder);
// Finds a file by its name or an alias, in any spelling (libsim/known_name.hpp); false if there is none.
bool find_in_catalogue(std::string_view folder, std::string_view name, CatalogueFile& found);
// Finds a file by words of its name or alias that no other file has.
bool find_by_words(std::string_view folder, std::string_view words, CatalogueFile& found);
// Finds a machine, or else an accelerator.
bool find_hardware(std::string_view name, CatalogueFile& found);
// "; did you mean NAME?", "; it may be NAME or NAME", or an empty text, from the files of these folders.
std::string hint_in_catalogue(std::initializer_list<std::string_view> folders, std::string_view name);

// The text under `key`, or "".
std::string text_under(const std::vector<HardwareEntry>& entries, std::string_view key);

}  // namespace sim::training
