#include "libsim/config/given.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sim::config {

namespace {

using GivenJson = nlohmann::ordered_json;

GivenJson json_of_value(const TomlValue& value) {
    return std::visit(
        [](const auto& one) -> GivenJson {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, OtherValue>) {
                return nullptr;  // no option takes such a value
            } else {
                return one;
            }
        },
        value);
}

TomlValue value_of_json(const GivenJson& json, const std::string& what) {
    if (json.is_boolean()) {
        return json.get<bool>();
    }
    if (json.is_number_integer()) {
        return json.get<std::int64_t>();
    }
    if (json.is_number()) {
        return json.get<double>();
    }
    if (json.is_string()) {
        return json.get<std::string>();
    }
    if (json.is_array() && std::all_of(json.begin(), json.end(), [](const GivenJson& x) { return x.is_number(); })) {
        return json.get<std::vector<double>>();
    }
    throw UsageError(fmt::format("{} must be a boolean, a number, a text or a list of numbers, not {}", what,
                                 shortened(json.dump(-1, ' ', true, GivenJson::error_handler_t::replace))));
}

struct Typed {
    std::string operator()(bool on) const { return on ? "true" : "false"; }
    std::string operator()(std::int64_t n) const { return fmt::format("{}", n); }
    std::string operator()(double x) const { return fmt::format("{}", x); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<double>& list) const { return fmt::format("{}", fmt::join(list, ",")); }
    std::string operator()(const OtherValue&) const { return ""; }
};

}  // namespace

std::string typed_text(const TomlValue& value) {
    return std::visit(Typed{}, value);
}

std::string json_text(const Given& given) {
    GivenJson object = GivenJson::object();
    for (const auto& [name, value] : given) {
        object[name] = json_of_value(value);
    }
    return object.dump(-1, ' ', false, GivenJson::error_handler_t::replace);
}

Given given_of_json(const std::string& text, const std::string& where) {
    const GivenJson object = GivenJson::parse(text, nullptr, false);
    if (!object.is_object()) {
        throw UsageError(fmt::format("{} must be an object with the options of the run", where));
    }
    Given given;
    for (const auto& [name, value] : object.items()) {
        given.emplace(name, value_of_json(value, fmt::format("{}: {}", where, shortened(name))));
    }
    return given;
}

}  // namespace sim::config
