// A TOML file is kept as a flat list of keys and values, each with its line, so that every error can name one.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sim::config {

// A value that no option and no profile reads: a date, a table, a list of texts …
struct OtherValue {
    std::string type;
    friend bool operator==(const OtherValue&, const OtherValue&) = default;
};
using TomlValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>, OtherValue>;

struct TomlEntry {
    std::string key;    // with its tables: network.latency_seconds; lists of tables count from 1: link[2].from
    std::string where;  // FILE:LINE
    TomlValue value;
};

// Entries in the order of their lines. Throws UsageError if the file cannot be read or is not TOML.
std::vector<TomlEntry> read_toml(const std::string& file);
// The same for a text, with a name for errors.
std::vector<TomlEntry> toml_entries(const std::string& text, const std::string& file);

// The value as errors name it: "a number", "the text \"x\"", ….
std::string describe(const TomlValue& value);

}  // namespace sim::config
