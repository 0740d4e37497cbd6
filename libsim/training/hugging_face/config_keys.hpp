// This class reads the keys of a config.json one by one; every error names the file and the key.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

class ConfigKeys {
public:
    // Throws ProgramError if the text is not a JSON object.
    ConfigKeys(std::string_view text, std::string where);

    // A null key counts as missing, as in transformers.
    bool has(const char* key) const;
    bool has_table(const char* key) const;
    bool has_list(const char* key) const;
    ConfigKeys table(const char* key) const;

    // From 0 to 2^30. Throws ProgramError for anything else, and for a missing key without `default_value`.
    int number(const char* key) const;
    int number(const char* key, int default_value) const;
    // The first of several synonyms that is present.
    int number(std::initializer_list<const char*> keys) const;
    bool flag(const char* key, bool default_value) const;
    std::string text(const char* key, const std::string& default_value) const;
    // Empty if the key is missing.
    std::vector<std::string> texts(const char* key) const;
    std::vector<int> numbers(const char* key) const;

    // True unless the key is missing or switches off its feature: false, 0, an empty list or text.
    bool is_set(const std::string& key) const;
    // Marks keys that do not affect the result as read.
    void pass_over(std::initializer_list<const char*> keys) const;
    // Keys that were never read, in alphabetical order.
    std::vector<std::string> not_asked_for() const;

    [[noreturn]] void refuse(const std::string& what) const;

private:
    struct Object;  // JSON, whose library is hidden behind this header
    ConfigKeys(std::shared_ptr<const Object> object, std::string where);

    [[noreturn]] void refuse_missing(std::initializer_list<const char*> keys) const;
    [[noreturn]] void refuse_value(const char* key, const char* wanted) const;

    std::shared_ptr<const Object> object_;
    std::string where_;
};

}  // namespace sim::training
