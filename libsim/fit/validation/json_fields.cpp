#include "libsim/fit/validation/json_fields.hpp"

#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

namespace sim::fit {
namespace {

using nlohmann::json;

// "tp is missing", with a similar key that was found instead, if any.
std::string missing(const json& object, const std::string& path, const std::string& key) {
    std::vector<std::string> keys;
    for (const auto& item : object.items()) {
        keys.push_back(item.key());
    }
    // Two-letter keys are always close to each other: tp, cp, dp.
    const std::string meant = key.size() > 3 ? nearest(key, keys) : "";
    return meant.empty() ? fmt::format("{}{} is missing", path, key)
                         : fmt::format("{0}{1} is missing; is {0}{2} meant to be it?", path, key, meant);
}

}  // namespace

const json* JsonFields::find(const char* key) const {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

void JsonFields::refuse(const char* key, const std::string& wanted) const {
    const auto found = object.find(key);
    if (found == object.end()) {
        throw BadRecord(missing(object, path, key));
    }
    throw BadRecord(fmt::format("{}{} must be {}, not {}", path, key, wanted, found->dump().substr(0, 40)));
}

std::string JsonFields::text(const char* key) const {
    const json* value = find(key);
    if (value == nullptr || !value->is_string()) {
        refuse(key, "a string");
    }
    return value->get<std::string>();
}

std::string JsonFields::optional_text(const char* key) const {
    return find(key) == nullptr ? "" : text(key);
}

std::optional<bool> JsonFields::optional_flag(const char* key) const {
    const json* value = find(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (!value->is_boolean()) {
        refuse(key, "true or false");
    }
    return value->get<bool>();
}

bool JsonFields::flag(const char* key) const {
    if (find(key) == nullptr) {
        refuse(key, "true or false");
    }
    return *optional_flag(key);
}

std::optional<int> JsonFields::optional_whole(const char* key, int low) const {
    const json* value = find(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    constexpr int most = std::numeric_limits<int>::max() / 4;
    // 128.0 also counts as a whole number.
    const double number = value->is_number() ? value->get<double>() : -1;
    if (!(number >= low && number <= most) || number != static_cast<double>(static_cast<int>(number))) {
        refuse(key, fmt::format("a whole number from {} to {}", low, most));
    }
    return static_cast<int>(number);
}

int JsonFields::whole(const char* key) const {
    const std::optional<int> value = optional_whole(key);
    if (!value) {
        refuse(key, "a whole number from 1 on");
    }
    return *value;
}

std::optional<double> JsonFields::optional_rate(const char* key) const {
    const json* value = find(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    const double number = value->is_number() ? value->get<double>() : -1;
    if (!(number > 0 && number < 1e15)) {
        refuse(key, "a number above 0");
    }
    return number;
}

double JsonFields::rate(const char* key) const {
    const std::optional<double> value = optional_rate(key);
    if (!value) {
        refuse(key, "a number above 0");
    }
    return *value;
}

JsonFields JsonFields::part(const char* key) const {
    const json* value = find(key);
    if (value == nullptr || !value->is_object()) {
        refuse(key, "an object");
    }
    return {*value, fmt::format("{}{}.", path, key)};
}

json parse_records(const std::string& text, const std::string& file) {
    json root;
    try {
        root = json::parse(text);
    } catch (const json::exception& error) {
        throw config::UsageError(fmt::format("{}: is not valid JSON: {}", file, config::without_number(error.what())));
    }
    const json* list = root.is_array() ? &root : nullptr;
    if (root.is_object() && root.contains("records")) {
        list = &root["records"];
    }
    if (list == nullptr || !list->is_array()) {
        throw config::UsageError(fmt::format("{}: has no list \"records\" of published runs", file));
    }
    if (list->empty()) {
        throw config::UsageError(fmt::format("{}: the list \"records\" is empty", file));
    }
    return *list;
}

}  // namespace sim::fit
