// The files of tools/schemas/ that are derived from a record match it. `tools/schemas.sh` rewrites them.
#include "libsim/predict/records.hpp"
#include "scenarios/report/bandwidth_report.hpp"
#include "scenarios/report/hello_report.hpp"
#include "scenarios/report/reports.hpp"
#include "scenarios/report/scaling.hpp"
#include "tests/scenarios/temporary_folder.hpp"
#include "tools/ndsim/commands.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace {

using namespace sim;
using Json = nlohmann::ordered_json;

// Lays out JSON as a person would: everything that fits on one line is on one line.
std::string laid_out(const Json& value, std::size_t indent);

std::string inner(const Json& value, std::size_t indent) {
    const std::string blanks(indent + 2, ' ');
    std::string text;
    std::size_t width = 0;
    for (auto at = value.begin(); at != value.end(); ++at) {
        const std::string one = (value.is_object() ? Json(at.key()).dump() + ": " : "") + laid_out(*at, indent + 2);
        // Strings of a list share lines.
        const bool shares = value.is_array() && at->is_string() && width > 0 && width + one.size() < 140;
        text += (text.empty() ? "\n" + blanks : shares ? ", " : ",\n" + blanks) + one;
        width = shares ? width + one.size() + 2 : blanks.size() + one.size();
    }
    return text + "\n" + std::string(indent, ' ');
}

std::string one_line(const Json& value) {
    if (!value.is_structured()) {
        return value.dump();
    }
    std::string text;
    for (auto at = value.begin(); at != value.end(); ++at) {
        text += (text.empty() ? "" : ", ") + (value.is_object() ? Json(at.key()).dump() + ": " : "") + one_line(*at);
    }
    return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string laid_out(const Json& value, std::size_t indent) {
    const bool is_leaf = !value.is_object() || !value.contains("properties");
    const std::string line = one_line(value);
    if (!value.is_structured() || (is_leaf && indent > 0 && line.size() + indent < 140)) {
        return line;
    }
    // A description can be long: splitting it off would not shorten its line.
    if (value.is_object() && !value.contains("properties") && value.contains("description") && value.size() <= 3 &&
        !value.contains("items") && !value.contains("enum") && !value.contains("anyOf") &&
        !value.contains("additionalProperties") && line.find("\"properties\": ") == std::string::npos) {
        return line;
    }
    return value.is_object() ? "{" + inner(value, indent) + "}" : "[" + inner(value, indent) + "]";
}

// The file with the declared part replaced: the whole file, a program's row, or some definitions.
Json with(const std::string& text, const Json& declared) {
    if (declared.contains("$schema")) {
        return declared;
    }
    Json file = Json::parse(text);
    if (file.is_array()) {
        const auto row = std::find_if(file.begin(), file.end(),
                                      [&](const Json& one) { return one.at("programs") == declared.at("programs"); });
        row->update(declared);
        return file;
    }
    file.at("definitions").update(declared.at("definitions"));
    return file;
}

class DeclaredSchemas : public testing::TestWithParam<report::SchemaText (*)()> {};

TEST_P(DeclaredSchemas, AreWhatTheirFilesSay) {
    const report::SchemaText declared = GetParam()();
    const std::string file = std::string(NDSIM_SOURCE_DIR) + "/tools/schemas/" + declared.file;
    const std::string text = content_of(file);
    const std::string meant = laid_out(with(text, Json::parse(declared.json)), 0) + "\n";
    if (std::getenv("NDSIM_WRITE_SCHEMAS") != nullptr) {
        std::ofstream(file) << meant;
    }
    EXPECT_EQ(content_of(file), meant) << "(where this is meant: tools/schemas.sh)";
}

INSTANTIATE_TEST_SUITE_P(OfScenarios, DeclaredSchemas,
                         testing::Values(&scenarios::scenario_schema, &scenarios::scenario_fault_schema,
                                         &scenarios::scaling_schema, &scenarios::hello_schema,
                                         &scenarios::bandwidth_schema, &scenarios::bandwidth_columns));

std::vector<report::SchemaText (*)()> schemas_of_commands() {
    std::vector<report::SchemaText (*)()> all{&predict::common_schema};
    for (const tools::Command* const command : tools::commands) {
        all.insert(all.end(), command->schemas.begin(), command->schemas.end());
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(OfCommands, DeclaredSchemas, testing::ValuesIn(schemas_of_commands()));

}  // namespace
