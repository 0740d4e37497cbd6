#include "libsim/training/hugging_face/config_keys.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace sim::training {

namespace {

using nlohmann::json;

constexpr std::int64_t largest_of_a_config = 1 << 30;
constexpr std::size_t shown = 60;  // characters shown of a wrong value

// An unsigned number above 63 bits would look negative.
bool is_size(const json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(largest_of_a_config);
}

// The library's message without its error number, cut to one line.
std::string plain_words(const std::string& what) {
    const std::size_t begin = what.find("] ");
    std::string text = begin == std::string::npos ? what : what.substr(begin + 2);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text.size() > 200 ? text.substr(0, 200) + "…" : text;
}

std::string describe(const json& value) {
    if (value.is_object()) {
        return "an object";
    }
    if (value.is_array()) {
        return "a list";
    }
    const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() > shown ? text.substr(0, shown) + "…" : text;
}

json parsed_config(std::string_view text, const std::string& where) {
    json object;
    try {
        object = json::parse(text);
    } catch (const json::exception& error) {
        throw ProgramError(fmt::format("{}: is not valid JSON: {}", where, plain_words(error.what())));
    }
    if (!object.is_object()) {
        throw ProgramError(
            fmt::format("{}: must be a JSON object {{…}}, as config.json is, not {}", where, describe(object)));
    }
    return object;
}

}  // namespace

struct ConfigKeys::Object {
    json keys;
    mutable std::set<std::string> asked_for = {};
};

ConfigKeys::ConfigKeys(std::string_view text, std::string where)
    : object_(std::make_shared<const Object>(Object{parsed_config(text, where)})), where_(std::move(where)) {}

ConfigKeys::ConfigKeys(std::shared_ptr<const Object> object, std::string where)
    : object_(std::move(object)), where_(std::move(where)) {}

void ConfigKeys::refuse(const std::string& what) const {
    throw ProgramError(fmt::format("{}: {}", where_, what));
}

void ConfigKeys::refuse_missing(std::initializer_list<const char*> keys) const {
    std::vector<std::string> there;
    for (const auto& [key, value] : object_->keys.items()) {
        there.push_back(key);
    }
    std::string also;
    std::string hint;
    for (const char* key : keys) {
        also += key == *keys.begin() ? "" : fmt::format("{}{}", also.empty() ? "" : ", ", key);
        hint = hint.empty() ? nearest(key, there) : hint;
    }
    refuse(fmt::format("{} is missing{}{}", *keys.begin(), also.empty() ? "" : fmt::format(" (or {})", also),
                       hint.empty() ? "" : fmt::format("; the nearest key there is {}", hint)));
}

void ConfigKeys::refuse_value(const char* key, const char* wanted) const {
    refuse(fmt::format("{} must be {}, not {}", key, wanted, describe(object_->keys.at(key))));
}

bool ConfigKeys::has(const char* key) const {
    object_->asked_for.insert(key);
    const auto at = object_->keys.find(key);
    return at != object_->keys.end() && !at->is_null();
}

bool ConfigKeys::is_set(const std::string& key) const {
    const auto at = object_->keys.find(key);
    if (at == object_->keys.end() || at->is_null() || at->empty()) {
        return false;
    }
    const bool is_off = (at->is_boolean() && !at->get<bool>()) || (at->is_number() && at->get<double>() == 0) ||
                        (at->is_string() && at->get_ref<const std::string&>().empty());
    return !is_off;
}

void ConfigKeys::pass_over(std::initializer_list<const char*> keys) const {
    object_->asked_for.insert(keys.begin(), keys.end());
}

std::vector<std::string> ConfigKeys::not_asked_for() const {
    std::vector<std::string> left;
    for (const auto& [key, value] : object_->keys.items()) {
        if (!object_->asked_for.contains(key)) {
            left.push_back(key);
        }
    }
    return left;
}

bool ConfigKeys::has_table(const char* key) const {
    return has(key) && object_->keys.at(key).is_object();
}

bool ConfigKeys::has_list(const char* key) const {
    return has(key) && object_->keys.at(key).is_array();
}

ConfigKeys ConfigKeys::table(const char* key) const {
    if (!has_table(key)) {
        refuse_missing({key});
    }
    return {std::make_shared<const Object>(Object{object_->keys.at(key)}), fmt::format("{}: {}", where_, key)};
}

int ConfigKeys::number(const char* key) const {
    if (!has(key)) {
        refuse_missing({key});
    }
    const json& value = object_->keys.at(key);
    if (!is_size(value)) {
        refuse_value(key, "a whole number from 0 to 2^30");
    }
    return value.get<int>();
}

int ConfigKeys::number(const char* key, int default_value) const {
    return has(key) ? number(key) : default_value;
}

int ConfigKeys::number(std::initializer_list<const char*> keys) const {
    const auto* at = std::find_if(keys.begin(), keys.end(), [this](const char* key) { return has(key); });
    if (at == keys.end()) {
        refuse_missing(keys);
    }
    return number(*at);
}

bool ConfigKeys::flag(const char* key, bool default_value) const {
    if (!has(key)) {
        return default_value;
    }
    if (!object_->keys.at(key).is_boolean()) {
        refuse_value(key, "true or false");
    }
    return object_->keys.at(key).get<bool>();
}

std::string ConfigKeys::text(const char* key, const std::string& default_value) const {
    if (!has(key)) {
        return default_value;
    }
    if (!object_->keys.at(key).is_string()) {
        refuse_value(key, "a text");
    }
    return object_->keys.at(key).get<std::string>();
}

std::vector<std::string> ConfigKeys::texts(const char* key) const {
    std::vector<std::string> found;
    if (!has(key)) {
        return found;
    }
    const json& list = object_->keys.at(key);
    if (!list.is_array() || !std::all_of(list.begin(), list.end(), [](const json& one) { return one.is_string(); })) {
        refuse_value(key, "a list of texts");
    }
    for (const json& element : list) {
        found.push_back(element.get<std::string>());
    }
    return found;
}

std::vector<int> ConfigKeys::numbers(const char* key) const {
    std::vector<int> found;
    if (!has(key)) {
        return found;
    }
    const json& list = object_->keys.at(key);
    if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_size)) {
        refuse_value(key, "a list of whole numbers");
    }
    for (const json& element : list) {
        found.push_back(element.get<int>());
    }
    return found;
}

}  // namespace sim::training
