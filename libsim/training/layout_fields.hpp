// A layout field is one switch of a training step: a row that says its option, what it sets, its values and its words.
//
// Options, JSON, its schema, the axes of searches, the commands that are printed and the flags of other frameworks are
// read off these rows. A new switch is a member of Parallelism, Batch, Numerics or Framework, a row here, and the
// physics that reads it.
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
// on or off.
struct ToggleField {
    bool& (*in)(Layout&);
};
// One of some names, by their place among them.
struct NameField {
    std::vector<std::string> (*names)();
    std::string (*name)(const Layout&);
    void (*set)(Layout&, std::size_t);
};
// A text that the field parses; it holds commas. `set` throws ProgramError for one that it cannot read.
struct TextField {
    std::vector<std::string> (*known)();
    std::string (*text)(const Layout&);
    void (*set)(Layout&, const std::string&);
};

// As JSON has it; nothing is null.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, std::string>;

// The framework whose command a flag is typed into.
enum class Launcher : std::uint8_t { megatron, torchtitan };

// How a framework is told this switch.
struct LaunchFlag {
    enum class Says : std::uint8_t { flag, lacks };  // lacks: the framework has no such switch, and `text` names it

    Launcher launcher;
    const char* text;                       // {} in it stands for the value, as our own option takes it
    bool (*said)(const Layout&) = nullptr;  // null: always
    Says says = Says::flag;
};

struct LayoutField {
    const char* option;  // without --
    const char* takes;   // N, NAME, on|off …
    std::string help;    // of the option, with its default
    const char* what;    // of the key in JSON: a sentence
    std::variant<WholeField, ToggleField, NameField, TextField> kind;
    FieldValue (*shown)(const Layout&) = nullptr;  // in JSON, where it is not the value that was set
    const char* also = "";                         // a second key of the same value, from before keys were options
    std::vector<LaunchFlag> launched =
        {};  // flags of other frameworks; those of several switches: search/launch_flags.cpp

    // The option's name, with _ for -.
    std::string key() const;
};

// In the order of --help and of JSON.
std::span<const LayoutField> layout_fields();
// Requires: there is one of this option.
const LayoutField& layout_field(std::string_view option);

// As set; a text that is empty is nothing.
FieldValue value_of(const LayoutField& field, const Layout& layout);
FieldValue shown_value(const LayoutField& field, const Layout& layout);
// "4", "on", "selective": as an option takes it.
std::string option_text(const FieldValue& value);

// The most GPUs of a layout: the product of three axes fits 64 bits.
inline constexpr std::int64_t most_ranks = 2'000'000;

}  // namespace sim::training
