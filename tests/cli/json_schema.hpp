// A JSON Schema of tools/schemas/ as read by a third-party validator.
#pragma once

#include "tests/scenarios/temporary_folder.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <string>

class JsonSchema {
public:
    // "train.schema.json"
    explicit JsonSchema(const std::string& name) {
        using Adapter = valijson::adapters::NlohmannJsonAdapter;
        const nlohmann::json document = read(name);
        const auto fetch = [](const std::string& other) { return new nlohmann::json(read(other)); };
        const auto release = [](const nlohmann::json* fetched) { delete fetched; };
        valijson::SchemaParser(valijson::SchemaParser::kDraft7)
            .populateSchema(Adapter(document), schema_, fetch, release);
    }

    // Each violation and its place; empty if there is none.
    std::string complaints(const nlohmann::json& value) const {
        valijson::ValidationResults results;
        valijson::Validator(valijson::Validator::kStrongTypes)
            .validate(schema_, valijson::adapters::NlohmannJsonAdapter(value), &results);
        std::string text;
        for (const auto& error : results) {
            text += fmt::format("{}: {}\n", fmt::join(error.context, ""), error.description);
        }
        return text;
    }

private:
    static nlohmann::json read(const std::string& name) {
        return nlohmann::json::parse(content_of(NDSIM_SOURCE_DIR "/tools/schemas/" + name));
    }

    valijson::Schema schema_;
};
