// The catalogue finds the shipped files by name.
#pragma once

#include "libsim/training/hardware/entries.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

// Lower case, without a remark in brackets at its end: "A100-SXM-40GB (DGX A100)" is a100-sxm-40gb.
std::string plain_name(std::string_view name);

struct CatalogueFile {
    std::string_view folder;
    std::string name;  // as it is written in the file
    std::string where;
    std::vector<HardwareEntry> entries;
};

// The names as they are written, in alphabetical order. `folder`: accelerators, generations, machines.
std::vector<std::string> catalogue_names(std::string_view folder);
// By its name or an alias, however they are written (libsim/known_name.hpp); false: there is none.
bool find_in_catalogue(std::string_view folder, std::string_view name, CatalogueFile& found);
// By some words of its name or of an alias that no other file's have.
bool find_by_words(std::string_view folder, std::string_view words, CatalogueFile& found);
// A machine's, or else an accelerator's.
bool find_hardware(std::string_view name, CatalogueFile& found);
// "; did you mean NAME?", "; it may be NAME or NAME", or nothing: of the files of these folders.
std::string hint_in_catalogue(std::initializer_list<std::string_view> folders, std::string_view name);

// The text under `key`, or "".
std::string text_under(const std::vector<HardwareEntry>& entries, std::string_view key);

}  // namespace sim::training
