// A figure is one value of an explanation, with its unit and its origin.
//
// Text, JSON and pages all show figures. No other part of an explanation may hold a computed number.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sim::explain {

enum class Unit : std::uint8_t {
    words,  // a text
    command,
    count,
    seconds,
    hours,  // stored as seconds; long times are shown as hours or days
    bytes,
    gigabytes,  // stored as bytes; shown in GB without the unit, which the table's title names
    bytes_per_second,
    share,   // fraction of 1; shown in percent
    change,  // fraction of 1; shown in percent, with a sign
    factor,  // shown as "7.4 times"
    tokens_per_second,
    flops_per_second,
    usd,
    watts,
    joules,
    kilowatt_hours,
};
// "seconds", "bytes per second"; shares and changes are fractions of 1.
const char* name_of(Unit unit);

// monostate: unknown or not applicable.
using Value = std::variant<std::monostate, std::string, std::int64_t, double>;

// "1.24 s", "61.3 GB"; "-" for an unknown value.
std::string shown(const Value& value, Unit unit);

// The levels of an explanation that show a row or column (explanation.hpp).
enum class Shown : std::uint8_t { always, brief, full };

struct Figure {
    std::string key;   // in JSON: "step_seconds"
    std::string name;  // in text: "step"
    Value value;
    Unit unit = Unit::words;
    std::string how;           // its origin: "simulated", "memory model", "closed form (p-1)/(m+p-1)"
    std::string same_as = "";  // JSON pointer to the same value in the explained result; empty: none
    Shown at = Shown::always;
};

struct FigureColumn {
    std::string key;
    std::string heading;
    Unit unit = Unit::words;
    std::string how = "";
    std::string same_as = "";  // appended to the row's pointer: "parameters"
    Shown at = Shown::always;
};

struct FigureRow {
    std::vector<Value> cells;
    std::string same_as = "";  // "/memory/stages/0"; empty: none
};

struct FigureTable {
    std::string key;
    std::string title;
    std::vector<FigureColumn> columns;
    std::vector<FigureRow> rows = {};
    std::string note = "";  // shown below the table
    Shown at = Shown::full;
    std::vector<std::size_t> picked = {};  // the rows that a text shows if it cannot show all; empty: the first
};

}  // namespace sim::explain
