// The reader looks up keys of a TOML file, checks their values and converts them to the simulator's types.
//
// All functions throw UsageError, with file, line, key and the expected value.
#pragma once

#include "libsim/config/errors.hpp"
#include "libsim/config/toml_file.hpp"
#include "libsim/units.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

namespace sim::config {

class TomlReader {
public:
    explicit TomlReader(std::string file) : file_(std::move(file)), entries_(read_toml(file_)) { number_keys(); }
    // Entries that come from no file, with a name for errors.
    TomlReader(std::string name, std::vector<TomlEntry> entries)
        : file_(std::move(name)), entries_(std::move(entries)) {
        number_keys();
    }

    const std::string& file() const { return file_; }

    [[noreturn]] void refuse(const TomlEntry& entry, const std::string& wanted, const std::string& hint = "") const;

    const TomlEntry* find(const std::string& key) const;  // null if missing
    const TomlEntry& require(const std::string& key) const;
    bool has_table(const std::string& name) const;
    // The number of tables in the list `name`: [[name]] …
    int count(const std::string& name) const;

    // Refuses any other key. In `known`, "link[].from" stands for that key of every table of the list.
    void know_only(const std::vector<std::string>& known) const;

    double number(const TomlEntry& entry, double low, const char* wanted) const;
    int whole(const TomlEntry& entry, int low, int high) const;
    const std::string& text(const TomlEntry& entry, const char* wanted) const;
    // The index in `names` of the entry's value.
    std::size_t choice(const TomlEntry& entry, const std::vector<std::string>& names) const;
    bool flag(const TomlEntry& entry) const;
    Duration duration(const TomlEntry& entry) const;
    Pace pace(const TomlEntry& entry) const;
    std::int64_t per_second(const TomlEntry& entry) const;

    // An exception that `make` throws because a number leaves the simulator's range is reported as an error in the
    // file.
    template <class Make>
    auto in_range(const TomlEntry& entry, Make make) const {
        try {
            return make();
        } catch (const std::out_of_range& error) {
            throw UsageError(
                fmt::format("{}: {} = {}: {}", entry.where, entry.key, describe(entry.value), error.what()));
        }
    }

private:
    void number_keys();

    std::string file_;
    std::vector<TomlEntry> entries_;
    std::map<std::string, std::size_t> places_;  // position of the first entry with each key
};

}  // namespace sim::config
