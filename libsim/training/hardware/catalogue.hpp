// The catalogue finds the shipped files by name.
#pragma once

#include "libsim/training/hardware/entries.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

// Lower case, without a remark in brackets at its end: "A100-SXM-40GB (DGX A100)" is a100-sxm-40gb.
std::string plain_name(std::string_view name);

struct CatalogueFile {
    std::string name;  // as it is written in the file
    std::string where;
    std::vector<HardwareEntry> entries;
};

// The names as they are written, in alphabetical order. `folder`: accelerators, generations, machines.
std::vector<std::string> catalogue_names(std::string_view folder);
// By its name or an alias; false: there is none.
bool find_in_catalogue(std::string_view folder, std::string_view name, CatalogueFile& found);

// The text under `key`, or "".
std::string text_under(const std::vector<HardwareEntry>& entries, std::string_view key);

}  // namespace sim::training
