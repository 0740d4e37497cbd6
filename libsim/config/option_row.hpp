// A row describes one option: its name, the value it takes, and the field it sets. The command line and --config read
// the same rows.
//
// A row refers to the field that it sets, so it must not outlive the options that it was made for.
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
    bool has_suffixes = false;  // 8k and 1M may be typed: multiples of 1,024, as for sequence lengths and sizes
};
struct Real {
    double low;
    double high;
    std::function<void(double)> set;
    bool has_suffixes = false;  // k, M, B and T may be typed: multiples of 1,000, as for amounts
};
struct Choice {
    std::vector<std::string> names;
    std::function<void(std::size_t)> set;  // index into `names`
};
// The values known in advance, for shell completion.
struct Known {
    enum class Path { none, file, folder };
    std::vector<std::string> names = {};  // some or all of the possible values
    Path path = Path::none;               // the value may also be a path
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
// it does not accept, and sets the field only if `sets`.
struct Custom {
    std::function<void(const std::string& what, const TomlValue& value, bool sets)> take;
    Known known = {};
};

// An argument is given without --, in the order of the rows, and only on the command line. The last may be
// more_arguments: any number of words, which its value holds one a line.
enum class Role { option, argument, optional_argument, more_arguments };

struct OptionRow {
    std::string name;   // without --
    std::string takes;  // N, X, FILE …; empty for a flag
    std::string help;
    std::variant<Whole, Real, Choice, Text, Flag, List, Switch, Custom> kind;
    Role role = Role::option;
    std::vector<std::string> also = {};  // other names of an option, which --help leaves out
    bool changes_result = true;          // false: affects only how the result is found and shown
    bool repeats = false;                // several values are joined with "; "
    bool has_commas = false;             // one value may hold commas; semicolons separate several
    bool writes = false;                 // its value is an output file: allowed on the command line only
    std::string group = "";              // its heading in --help and in manual pages; empty: "Options"
};

// Groups that several programs have; `general` is the last in --help. Members of a struct, because the C++ reference
// lists names of a namespace beside functions such as machine().
struct GroupName {
    static constexpr const char* model = "Model";
    static constexpr const char* machine = "Machine";
    static constexpr const char* run = "Run";
    static constexpr const char* output = "Output";
    static constexpr const char* general = "General";
};

// Puts the rows that have no group into this one.
std::vector<OptionRow> in_group(const char* group, std::vector<OptionRow> rows);

// Turns {"FILE", "", "the help", kind} into an argument; errors and --help name it FILE.
inline OptionRow as_argument(OptionRow row, Role role = Role::argument) {
    row.role = role;
    return row;
}
// Marks an option that does not change the result, only how it is found and shown.
inline OptionRow keeping_result(OptionRow row) {
    row.changes_result = false;
    return row;
}
// Marks an option whose single value is a list: a=1,b=2.
inline OptionRow listing(OptionRow row) {
    row.has_commas = true;
    return row;
}
// Marks an option that names an output file.
inline OptionRow writing(OptionRow row) {
    row.writes = true;
    return keeping_result(std::move(row));
}
// Lets a number be typed with a suffix.
template <class Number>
Number suffixed(Number number) {
    number.has_suffixes = true;
    return number;
}
// True if `name` is the row's name or one of its other names.
bool is_called(const OptionRow& row, const std::string& name);
// The names that --config accepts: all but those in `also`.
std::vector<std::string> option_names(const std::vector<OptionRow>& rows);
// The row of that name; null if none has it.
const OptionRow* find_row(const std::vector<OptionRow>& rows, const std::string& name);
// Requires: a row has that name.
const OptionRow& row_named(const std::vector<OptionRow>& rows, const std::string& name);

// The known values of the option, for completion.
Known known_values(const OptionRow& row);

Whole whole(int& field, std::int64_t low, std::int64_t high);
Real real(double& field, double low, double high);
Text text(std::string& field);
// A text that is a file name, a folder name, or one of `names` or else a file.
Text file(std::string& field);
Text folder(std::string& field);
// File names, one a line.
Text files(std::vector<std::string>& field);
Text name_or_file(std::string& field, const std::vector<std::string>& names);
Flag flag(bool& field);
Switch on_off(bool& field);
Choice choice(std::string& field, const std::vector<std::string>& names);
// One of `names`, converted to the enumerator with that index.
template <class Enum>
Choice enumerator(Enum& field, const std::vector<std::string>& names) {
    return {names, [&field](std::size_t i) { field = static_cast<Enum>(i); }};
}

// A duration with its unit: typed_numbers.hpp.
Custom duration(Duration& field);

// One of `values`, chosen by its name in libsim.
template <class Value>
Choice one_of(Value& field, const std::vector<Value>& values) {
    std::vector<std::string> names;
    for (const Value& value : values) {
        names.emplace_back(name_of(value));
    }
    return {names, [&field, values](std::size_t i) { field = values[i]; }};
}

// Throws UsageError unless the row accepts `value`. `what` names the option in the error: "--items", or "run.toml:3:
// items".
void check_option(const OptionRow& row, const std::string& what, const TomlValue& value);
// Checks the value and sets the field.
void set_option(const OptionRow& row, const std::string& what, const TomlValue& value);

// Converts command-line text to the kind of value that `row` takes, if it has that form.
TomlValue value_of_text(const OptionRow& row, const std::string& text);

}  // namespace sim::config
