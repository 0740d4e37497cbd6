#include "libsim/training/layout_fields.hpp"

#include "libsim/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::training {

namespace {

struct Value {
    const Layout& layout;

    // The accessors also set the field, hence the const_cast; here they only read.
    FieldValue operator()(const WholeField& field) const { return std::int64_t{field.in(const_cast<Layout&>(layout))}; }
    FieldValue operator()(const RealField& field) const { return field.in(const_cast<Layout&>(layout)); }
    FieldValue operator()(const ToggleField& field) const { return field.in(const_cast<Layout&>(layout)); }
    FieldValue operator()(const NameField& field) const { return field.name(layout); }
    FieldValue operator()(const TextField& field) const {
        const std::string text = field.text(layout);
        return text.empty() ? FieldValue() : FieldValue(text);
    }
};

struct Typed {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool on) const { return on ? "on" : "off"; }
    std::string operator()(std::int64_t n) const { return fmt::format("{}", n); }
    std::string operator()(double x) const { return fmt::format("{}", x); }
    std::string operator()(const std::string& text) const { return text; }
};

}  // namespace

const LayoutField& layout_field(std::string_view option) {
    const auto fields = layout_fields();
    const auto at =
        std::find_if(fields.begin(), fields.end(), [&](const LayoutField& field) { return field.option == option; });
    check(at != fields.end(), "no switch of a layout is called {}", option);
    return *at;
}

std::string LayoutField::key() const {
    std::string key = option;
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

FieldValue value_of(const LayoutField& field, const Layout& layout) {
    return std::visit(Value{layout}, field.kind);
}

FieldValue shown_value(const LayoutField& field, const Layout& layout) {
    return field.shown != nullptr ? field.shown(layout) : value_of(field, layout);
}

std::string option_text(const FieldValue& value) {
    return std::visit(Typed{}, value);
}

bool is_set(const LayoutField& field, const Layout& layout) {
    return value_of(field, layout) != value_of(field, Layout{});
}

}  // namespace sim::training
