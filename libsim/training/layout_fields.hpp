// A layout field is one switch of a training step: a row with its option, the member it sets, its values and its
// descriptions.
//
// Options, JSON, its schema, the axes of searches, printed commands and the flags of other frameworks are all generated
// from these rows. A new switch is a member of Parallelism, Batch, Numerics or Framework, a row here, and the physics
// that reads it.
#pragma once

#include "libsim/training/layout.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sim::training {

// A whole number from `low` to `high`.
struct WholeField {
    int& (*in)(Layout&);
    std::int64_t low;
    std::int64_t high;
};
// A number from `low` to `high`.
struct RealField {
    double& (*in)(Layout&);
    double low;
    double high;
};
// on or off.
struct ToggleField {
    bool& (*in)(Layout&);
};
// One of several names, by index.
struct NameField {
    std::vector<std::string> (*names)();
    std::string (*name)(const Layout&);
    void (*set)(Layout&, std::size_t);
};
// A text, possibly with commas, that the field parses. `set` throws ProgramError if it cannot.
struct TextField {
    std::vector<std::string> (*known)();
    std::string (*text)(const Layout&);
    void (*set)(Layout&, const std::string&);
    bool may_be_file = false;  // the option also takes the name of a file that holds the text
};

// The value as JSON has it; monostate is null.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

// The framework whose command a flag belongs to.
enum class Launcher : std::uint8_t { megatron, torchtitan };

// A framework's flag for this switch.
struct LaunchFlag {
    enum class Says : std::uint8_t { flag, lacks };  // lacks: no such switch, and `text` names it

    Launcher launcher;
    const char* text;                       // {} is replaced by the value, as ndsim's option takes it
    bool (*said)(const Layout&) = nullptr;  // when the flag is printed; null: always
    Says says = Says::flag;
    std::string (*value)(const Layout&) = nullptr;  // replaces {}, if it is not the option's value
};

struct LayoutField {
    const char* option;  // without --
    const char* takes;   // N, X, NAME, on|off …
    std::string help;    // of the option, with its default
    std::string what;    // the JSON key's description, a sentence
    std::variant<WholeField, RealField, ToggleField, NameField, TextField> kind;
    FieldValue (*shown)(const Layout&) = nullptr;  // the value in JSON, if it differs from the one that was set
    const char* also = "";                         // an older JSON key of the same value
    std::vector<LaunchFlag> launched =
        {};                  // flags of other frameworks; flags of several switches: search/launch_flags.cpp
    bool is_rare = false;    // JSON leaves it out unless it is set
    const char* group = "";  // the option's heading in --help

    // The option's name with _ instead of -.
    std::string key() const;
};

// In the order of JSON, and within each group of --help.
std::span<const LayoutField> layout_fields();
// Requires: there is such an option.
const LayoutField& layout_field(std::string_view option);

// The value as set; an empty text is null.
FieldValue value_of(const LayoutField& field, const Layout& layout);
FieldValue shown_value(const LayoutField& field, const Layout& layout);
// The value as an option takes it: "4", "on", "selective".
std::string option_text(const FieldValue& value);
// Whether the value differs from a default layout's.
bool is_set(const LayoutField& field, const Layout& layout);

// The most GPUs of a layout: small enough that a product of three axes fits 64 bits.
inline constexpr std::int64_t most_ranks = 2'000'000;

}  // namespace sim::training
