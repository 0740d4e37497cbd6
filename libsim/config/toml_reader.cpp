#include "libsim/config/toml_reader.hpp"

#include "libsim/nearest.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sim::config {

namespace {

// Turns link[12].from into link[].from.
std::string without_numbers(const std::string& key) {
    std::string plain;
    bool inside = false;
    for (const char c : key) {
        inside = inside && c != ']';
        if (!inside) {
            plain += c;
        }
        inside = inside || c == '[';
    }
    return plain;
}

}  // namespace

void TomlReader::refuse(const TomlEntry& entry, const std::string& wanted, const std::string& hint) const {
    throw UsageError(
        fmt::format("{}: {} must be {}, not {}{}", entry.where, entry.key, wanted, describe(entry.value), hint));
}

void TomlReader::number_keys() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        places_.try_emplace(entries_[i].key, i);
    }
}

const TomlEntry* TomlReader::find(const std::string& key) const {
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : &entries_[found->second];
}

const TomlEntry& TomlReader::require(const std::string& key) const {
    const TomlEntry* entry = find(key);
    if (entry == nullptr) {
        throw UsageError(fmt::format("{}: {} is missing", file_, key));
    }
    return *entry;
}

bool TomlReader::has_table(const std::string& name) const {
    const auto first = places_.lower_bound(name + ".");
    return first != places_.end() && first->first.starts_with(name + ".");
}

int TomlReader::count(const std::string& name) const {
    int found = 0;
    while (has_table(fmt::format("{}[{}]", name, found + 1))) {
        ++found;
    }
    return found;
}

void TomlReader::know_only(const std::vector<std::string>& known) const {
    for (const TomlEntry& entry : entries_) {
        const auto in_table = [&](const std::string& key) { return key.starts_with(entry.key + "."); };
        const auto* other = std::get_if<OtherValue>(&entry.value);
        if (other != nullptr && other->type == "a table" && std::any_of(known.begin(), known.end(), in_table)) {
            continue;  // a table without keys: require() reports those missing
        }
        const std::string key = without_numbers(entry.key);
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            throw UsageError(fmt::format("{}: unknown key {}{}", entry.where, entry.key, did_you_mean(key, known)));
        }
    }
}

double TomlReader::number(const TomlEntry& entry, double low, const char* wanted) const {
    double x = std::nan("");
    if (const auto* i = std::get_if<std::int64_t>(&entry.value)) {
        x = static_cast<double>(*i);
    } else if (const auto* d = std::get_if<double>(&entry.value)) {
        x = *d;
    }
    if (!std::isfinite(x) || x < low) {
        refuse(entry, wanted);
    }
    return x;
}

int TomlReader::whole(const TomlEntry& entry, int low, int high) const {
    const auto* number = std::get_if<std::int64_t>(&entry.value);
    if (number == nullptr || *number < low || *number > high) {
        refuse(entry, fmt::format("a whole number from {} to {}", low, high));
    }
    return static_cast<int>(*number);
}

const std::string& TomlReader::text(const TomlEntry& entry, const char* wanted) const {
    const auto* text = std::get_if<std::string>(&entry.value);
    if (text == nullptr) {
        refuse(entry, wanted);
    }
    return *text;
}

std::size_t TomlReader::choice(const TomlEntry& entry, const std::vector<std::string>& names) const {
    const auto* text = std::get_if<std::string>(&entry.value);
    const auto at = text == nullptr ? names.end() : std::find(names.begin(), names.end(), *text);
    if (at == names.end()) {
        std::string wanted;
        for (std::size_t i = 0; i < names.size(); ++i) {
            wanted += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
        }
        refuse(entry, wanted, text != nullptr ? did_you_mean(*text, names) : "");
    }
    return static_cast<std::size_t>(at - names.begin());
}

bool TomlReader::flag(const TomlEntry& entry) const {
    const auto* flag = std::get_if<bool>(&entry.value);
    if (flag == nullptr) {
        refuse(entry, "true or false");
    }
    return *flag;
}

Duration TomlReader::duration(const TomlEntry& entry) const {
    const double s = number(entry, 0, "a number of seconds, 0 or more");
    return in_range(entry, [&] { return duration_of_seconds(s); });
}

Pace TomlReader::pace(const TomlEntry& entry) const {
    const double s = number(entry, 0, "a number of seconds, 0 or more");
    return in_range(entry, [&] { return pace_of_unit(s); });
}

std::int64_t TomlReader::per_second(const TomlEntry& entry) const {
    const double rate = number(entry, 1, "a number, 1 or more");
    if (rate > 9e18) {
        refuse(entry, "a number up to 9e18");
    }
    return std::llround(rate);
}

}  // namespace sim::config
