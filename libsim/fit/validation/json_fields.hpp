// These functions read the fields of a JSON object; errors name the field: "layout.tp must be a whole number from 1,
// not "two"".
#pragma once

#include "libsim/config/errors.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace sim::fit {

// An error in one record.
struct BadRecord : config::UsageError {
    using config::UsageError::UsageError;
};

// All throw BadRecord. The optional_ ones return nothing for a null or missing field.
struct JsonFields {
    const nlohmann::json& object;
    std::string path;  // "layout." before the key, in errors

    std::string text(const char* key) const;
    std::string optional_text(const char* key) const;
    std::optional<bool> optional_flag(const char* key) const;
    bool flag(const char* key) const;
    int whole(const char* key) const;  // from 1 on
    std::optional<int> optional_whole(const char* key, int low = 1) const;
    double rate(const char* key) const;  // above 0
    std::optional<double> optional_rate(const char* key) const;
    JsonFields part(const char* key) const;

    // Returns nullptr if the field is null or missing.
    const nlohmann::json* find(const char* key) const;
    [[noreturn]] void refuse(const char* key, const std::string& wanted) const;
};

// Throws config::UsageError, naming `file`, if the text is not JSON or has no list "records".
nlohmann::json parse_records(const std::string& text, const std::string& file);

}  // namespace sim::fit
