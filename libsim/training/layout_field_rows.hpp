// The rows of layout_fields() are made by these templates, from the path of a member in a layout. Included by the files
// that list rows.
#pragma once

#include "libsim/training/layout_fields.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sim::training::field_rows {

using Fields = std::vector<LayoutField>;

inline constexpr std::int64_t most_of_a_field = 100'000'000;

// The member at the end of a path: in<&Layout::batch, &Batch::micro>.
template <auto... path>
auto& in(Layout& layout) {
    return (layout.*....*path);
}
template <auto... path>
const auto& in(const Layout& layout) {
    return (layout.*....*path);
}

template <class Values>
std::vector<std::string> names_of(const Values& values) {
    std::vector<std::string> names;
    for (const auto& value : values) {
        names.emplace_back(name_of(value));
    }
    return names;
}
template <auto values, auto... path>
NameField named() {
    return {[] { return names_of(values()); },
            [](const Layout& layout) { return std::string(name_of(in<path...>(layout))); },
            [](Layout& layout, std::size_t i) { in<path...>(layout) = values()[i]; }};
}

template <class Enum, Enum... each>
std::vector<Enum> these() {
    return {each...};
}
template <auto... path>
LayoutField whole(const char* option, std::int64_t low, std::int64_t high, const char* help, const char* what) {
    return {option, "N", help, what, WholeField{in<path...>, low, high}};
}
template <auto... path>
LayoutField real(const char* option, double low, double high, const char* help, const char* what) {
    return {option, "X", help, what, RealField{in<path...>, low, high}};
}
// A list of numbers, or a file of them. `parse` reads the member from text; text_of() writes it.
template <auto parse, auto... path>
TextField listed() {
    return {[] { return std::vector<std::string>{}; },
            [](const Layout& layout) { return text_of(in<path...>(layout)); },
            [](Layout& layout, const std::string& text) { in<path...>(layout) = parse(text); }, true};
}
template <auto... path>
LayoutField toggle(const char* option, const char* help, const char* what) {
    return {option, "on|off", help, what, ToggleField{in<path...>}};
}

// Adds the flags of frameworks that have this switch.
inline LayoutField launched(LayoutField field, std::vector<LaunchFlag> flags) {
    field.launched = std::move(flags);
    return field;
}

inline LayoutField rare(LayoutField field) {
    field.is_rare = true;
    return field;
}
// A group of layout_groups.hpp, where it is not that of the rows around it.
inline LayoutField under(const char* group, LayoutField field) {
    field.group = group;
    return field;
}

inline constexpr Launcher megatron = Launcher::megatron;
inline constexpr Launcher torchtitan = Launcher::torchtitan;

// Short names of the layout's parts.
inline constexpr auto axes_of = &Layout::parallelism;
inline constexpr auto batch_of = &Layout::batch;
inline constexpr auto numerics_of = &Layout::numerics;
inline constexpr auto framework_of = &Layout::framework;
inline constexpr auto adapters_of = &Layout::adapters;
inline constexpr auto split_of = &Parallelism::split;

// Rows of number formats, the optimizer and adapters (layout_fields_numerics.cpp), of what the batch holds
// (layout_fields_data.cpp), of communication and of host memory (layout_fields_communication.cpp).
void add_arithmetic(Fields& fields);
void add_adapters(Fields& fields);
void add_data(Fields& fields);
void add_communication(Fields& fields);
void add_offloading(Fields& fields);

}  // namespace sim::training::field_rows
