// A row describes one option: its name, the value it takes, and the field it sets. The command line and --config read
// the same rows.
//
// A row refers to the field it sets: it lives no longer than the options it was made for.
#pragma once

#include "libsim/config/toml_file.hpp"
#include "libsim/units.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sim::config {

struct Whole {
    std::int64_t low;
    std::int64_t high;
    std::function<void(std::int64_t)> set;
    bool has_suffixes = false;  // 8k and 1M may be typed: times 1,024, as lengths of sequences and sizes are said
};
struct Real {
    double low;
    double high;
    std::function<void(double)> set;
    bool has_suffixes = false;  // 15T may be typed, and k, M, B: times 1,000, as amounts are said
};
struct Choice {
    std::vector<std::string> names;
    std::function<void(std::size_t)> set;  // which of them
};
// What is known of a value before it is typed; shells complete it.
struct Known {
    enum class Path { none, file, folder };
    std::vector<std::string> names = {};  // some of the values that there are, or all
    Path path = Path::none;               // a path is a value, too
};
struct Text {
    std::function<void(const std::string&)> set;
    Known known = {};
};
struct Flag {
    std::function<void(bool)> set;
};
// on or off; in a file also true and false.
struct Switch {
    std::function<void(bool)> set;
};
// Whole numbers: "1,2,4", "1e3:1e6" (each ten times the one before), "1:16:2" (each twice). In a file also [1, 2, 4].
struct List {
    std::int64_t low;
    std::int64_t high;
    std::function<void(const std::vector<std::int64_t>&)> set;
};
// A custom value is parsed by the option itself: `take` throws UsageError, which begins with `what`, for a value that
// it does not accept, and sets it only where `sets`.
struct Custom {
    std::function<void(const std::string& what, const TomlValue& value, bool sets)> take;
    Known known = {};
};

// An argument stands on the command line without --, in the order of the rows, and in no file.
enum class Role { option, argument, optional_argument };

struct OptionRow {
    std::string name;   // without --
    std::string takes;  // N, X, FILE …; empty for a flag
    std::string help;
    std::variant<Whole, Real, Choice, Text, Flag, List, Switch, Custom> kind;
    Role role = Role::option;
    std::vector<std::string> also = {};  // other names of an option, which --help leaves out
    bool changes_result = true;          // false: only how it is found and shown
    bool repeats = false;                // typed several times, its values are one, with "; " between them
    bool has_commas = false;             // one value may hold commas; semicolons separate several
    bool writes = false;                 // its value is a file to write, which only the command line may name
};

// {"FILE", "", "what it is", kind} as an argument; errors and --help name it FILE.
inline OptionRow as_argument(OptionRow row, Role role = Role::argument) {
    row.role = role;
    return row;
}
// An option that changes no result, only how it is found and shown.
inline OptionRow keeping_result(OptionRow row) {
    row.changes_result = false;
    return row;
}
// An option whose single value is a list: a=1,b=2.
inline OptionRow listing(OptionRow row) {
    row.has_commas = true;
    return row;
}
// An option that names a file to write.
inline OptionRow writing(OptionRow row) {
    row.writes = true;
    return keeping_result(std::move(row));
}
// A number that may be typed with a suffix.
template <class Number>
Number suffixed(Number number) {
    number.has_suffixes = true;
    return number;
}
// True if `name` is one of the row's names.
bool is_called(const OptionRow& row, const std::string& name);
// The names that --config may have, but for what is in `also`.
std::vector<std::string> option_names(const std::vector<OptionRow>& rows);
// The row of that name; null if there is none.
const OptionRow* find_row(const std::vector<OptionRow>& rows, const std::string& name);
// Requires: there is one.
const OptionRow& row_named(const std::vector<OptionRow>& rows, const std::string& name);

// What is known of the values that it takes.
Known known_values(const OptionRow& row);

Whole whole(int& field, std::int64_t low, std::int64_t high);
Real real(double& field, double low, double high);
Text text(std::string& field);
// A text that is the name of a file, of a folder, or one of the names or else a file.
Text file(std::string& field);
Text folder(std::string& field);
Text name_or_file(std::string& field, const std::vector<std::string>& names);
Flag flag(bool& field);
Switch on_off(bool& field);
Choice choice(std::string& field, const std::vector<std::string>& names);
// One of `names` as the enumerator of that number.
template <class Enum>
Choice enumerator(Enum& field, const std::vector<std::string>& names) {
    return {names, [&field](std::size_t i) { field = static_cast<Enum>(i); }};
}

// A duration with its unit: durations.hpp.
Custom duration(Duration& field);

// One of `values`, by the names they have in libsim.
template <class Value>
Choice one_of(Value& field, const std::vector<Value>& values) {
    std::vector<std::string> names;
    for (const Value& value : values) {
        names.emplace_back(name_of(value));
    }
    return {names, [&field, values](std::size_t i) { field = values[i]; }};
}

// Throws UsageError unless `value` is what the row takes. `what` names the option in the error: "--items", or
// "run.toml:3: items".
void check_option(const OptionRow& row, const std::string& what, const TomlValue& value);
// Checks, and sets.
void set_option(const OptionRow& row, const std::string& what, const TomlValue& value);

// Converts what was typed on a command line to the kind of value that `row` takes, if it is one.
TomlValue value_of_text(const OptionRow& row, const std::string& text);

}  // namespace sim::config
