// A figure is one value of an explanation: its unit, and how it was found, stand beside it.
//
// Text, JSON and pages all show figures. Nothing else of an explanation may hold a number that was computed.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sim::explain {

enum class Unit : std::uint8_t {
    words,  // of a text
    command,
    count,
    seconds,
    hours,  // stored as seconds; shown as hours or days where it is long
    bytes,
    bytes_per_second,
    share,   // of 1; shown in percent
    change,  // of 1; shown in percent, with a sign
    factor,  // 7.4 times
    tokens_per_second,
    usd,
    watts,
    joules,
    kilowatt_hours,
};
// "seconds", "bytes per second"; of 1 for shares and changes.
const char* name_of(Unit unit);

// monostate: not known, or not there.
using Value = std::variant<std::monostate, std::string, std::int64_t, double>;

// "1.24 s", "61.3 GB"; "-" for what is not known.
std::string shown(const Value& value, Unit unit);

struct Figure {
    std::string key;   // of JSON: "step_seconds"
    std::string name;  // of text: "step"
    Value value;
    Unit unit = Unit::words;
    std::string how;           // "simulated", "memory model", "closed form (p-1)/(m+p-1)": how it was found
    std::string same_as = "";  // where the result that is explained has it: a JSON pointer; empty: nowhere
};

struct FigureColumn {
    std::string key;
    std::string heading;
    Unit unit = Unit::words;
    std::string how = "";
    std::string same_as = "";  // below the row's: "parameters"
};

struct FigureRow {
    std::vector<Value> cells;
    std::string same_as = "";  // "/memory/stages/0"; empty: nowhere
};

struct FigureTable {
    std::string key;
    std::string title;
    std::vector<FigureColumn> columns;
    std::vector<FigureRow> rows = {};
    std::string note = "";  // below it
};

}  // namespace sim::explain
