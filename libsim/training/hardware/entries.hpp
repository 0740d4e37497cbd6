// A TOML file of hardware is read as a flat list of keys and values, each with its line and its source.
//
// A number is written plain, or as { value = 2039e9, source = "…", confidence = "A" }. `source` and `confidence` of a
// table are those of its plain numbers, and of the tables in it that have none of their own.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sim::training {

// A value that no key takes: a date, a list of numbers …
struct OtherKind {
    std::string what;
};
using HardwareValue = std::variant<bool, double, std::string, std::vector<std::string>, OtherKind>;

struct HardwareEntry {
    std::string key;    // with its tables: network.ring.ll.base
    std::string where;  // FILE:LINE
    HardwareValue value;
    std::string source;
    std::string confidence;
};

// In the order of their lines. Throws ProgramError for what is no TOML.
std::vector<HardwareEntry> hardware_entries(std::string_view text, const std::string& where);

// "0.5", "the text \"x\"" …: the value as errors name it.
std::string describe(const HardwareValue& value);

}  // namespace sim::training
