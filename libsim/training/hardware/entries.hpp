// A hardware TOML file is read as a flat list of keys and values, each with its line and its source.
//
// A number is written plain, or as { value = 2039e9, source = "…", confidence = "A" }. A table's `source` and
// `confidence` apply to its plain numbers, and to nested tables that have none of their own.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sim::training {

// A value of a kind that no key takes: a date, a list of numbers …
struct OtherKind {
    std::string what;
};
using HardwareValue = std::variant<bool, double, std::string, std::vector<std::string>, OtherKind>;

struct HardwareEntry {
    std::string key;    // including its tables: network.ring.ll.base
    std::string where;  // FILE:LINE
    HardwareValue value;
    std::string source;
    std::string confidence;
};

// In line order. Throws ProgramError for invalid TOML.
std::vector<HardwareEntry> hardware_entries(std::string_view text, const std::string& where);

// "0.5", "the text \"x\"" …: the value as errors name it.
std::string describe(const HardwareValue& value);

}  // namespace sim::training
