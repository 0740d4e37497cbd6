// The programs' machine-readable output matches the schemas: each key of --json and --trace, each column of --csv.
#include "libsim/report/csv.hpp"
#include "tests/cli/command.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/cli/schema_cases.hpp"
#include "tools/command_line/columns.hpp"
#include "tools/command_line/schema_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace {

using nlohmann::json;
using sim::command_line::SchemaKey;
using testing::HasSubstr;

using Path = std::vector<std::string>;

void add_paths(const json& value, const Path& path, std::set<Path>& paths) {
    paths.insert(path);
    const auto add = [&](const std::string& key, const json& part) {
        Path longer = path;
        longer.push_back(key);
        add_paths(part, longer, paths);
    };
    if (value.is_object()) {
        for (const auto& [key, part] : value.items()) {
            add(key, part);
        }
    } else if (value.is_array()) {
        for (const json& part : value) {
            add("[]", part);
        }
    }
}

bool is_any(const std::string& name) {
    return name.front() == '<';
}

bool is_among(const Path& documented, const std::set<Path>& printed) {
    return std::any_of(printed.begin(), printed.end(), [&](const Path& path) {
        return std::equal(path.begin(), path.end(), documented.begin(), documented.end(),
                          [](const std::string& key, const std::string& name) { return is_any(name) || key == name; });
    });
}

// Only a user's own rank program computes in FLOPs, or gives a duration to compute.
const std::set<std::string> printed_by_others{"traceEvents[].args.flops", "flops", "traceEvents[].args.work_ps",
                                              "work_ps"};

class EverySchema : public testing::TestWithParam<const char*> {};

TEST_P(EverySchema, HoldsForWhatIsPrintedAndDescribesNothingElse) {
    const std::string file = fmt::format("{}.schema.json", GetParam());
    const JsonSchema schema(file);
    const SchemaInputs inputs;
    std::set<Path> printed;
    for (const PrintedJson& one : printed_json(inputs)) {
        if (one.schema == std::string(GetParam())) {
            const Said said = run_command(one.line);
            ASSERT_EQ(said.exit_code, one.exit_code) << one.line << "\n" << said.err;
            EXPECT_EQ(schema.complaints(said.json()), "") << one.line;
            add_paths(said.json(), {}, printed);
        }
    }
    for (const SchemaKey& key : sim::command_line::Schemas().keys_of(file)) {
        EXPECT_TRUE(is_among(key.path, printed) || printed_by_others.contains(key.name()))
            << file << " describes " << key.name() << ", which none of these runs prints";
    }
}

INSTANTIATE_TEST_SUITE_P(Of, EverySchema,
                         testing::Values("scenario", "scaling", "scenario_fault", "distributed_hello",
                                         "communication_profile", "trace", "train", "explain", "memory", "plan",
                                         "goodput", "sweep", "validate", "collective", "topology", "flows", "hardware",
                                         "calibrate", "goal", "chakra", "compare", "trace_summary", "trace_diff",
                                         "lab_list", "lab_check", "lab_report", "doctor", "models", "options"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Schemas, RefuseAKeyThatNobodyDescribed) {
    json result = run_command("0d_sequential --quiet --json").json();
    const JsonSchema schema("scenario.schema.json");
    EXPECT_EQ(schema.complaints(result), "");
    result["per_rank"][0]["naps"] = 3;
    EXPECT_THAT(schema.complaints(result), HasSubstr("naps"));
    result["per_rank"][0].erase("naps");
    result["mesh"]["dp"] = "one";
    EXPECT_THAT(schema.complaints(result), HasSubstr("[mesh][dp]"));
}

// Every object states whether it has other keys, and requires only keys that it describes.
void expect_closed(const json& schema, const std::string& where) {
    if (schema.is_object() && schema.contains("properties") && schema["properties"].is_object()) {
        EXPECT_TRUE(schema.contains("additionalProperties")) << where;
        for (const json& key : schema.value("required", json::array())) {
            EXPECT_TRUE(schema["properties"].contains(key.get<std::string>())) << where << " " << key;
        }
    }
    if (schema.is_structured()) {
        for (const auto& [key, part] : schema.items()) {
            expect_closed(part, where + "/" + key);
        }
    }
}

TEST(Schemas, LeaveNoKeyOutAndSayWhatItIsAndInWhichUnit) {
    const sim::command_line::Schemas schemas;
    for (const auto& file : sim::command_line::schema_files()) {
        if (!file.name.ends_with(".schema.json")) {
            continue;
        }
        expect_closed(json::parse(file.text), std::string(file.name));
        for (const SchemaKey& key : schemas.keys_of(std::string(file.name))) {
            EXPECT_TRUE(key.path.empty() || key.what.ends_with('.')) << file.name << ": " << key.name();
            const bool is_number = key.type.starts_with("number") || key.type.starts_with("integer");
            if (is_number && key.name().ends_with("seconds")) {
                EXPECT_THAT(key.what, testing::ContainsRegex("[Ss]econd")) << key.name();
            }
            if (is_number && key.name().ends_with("bytes")) {
                EXPECT_THAT(key.what, testing::ContainsRegex("[Bb]ytes")) << key.name();
            }
        }
    }
}

// The header of --csv, which a program writes instead of --json.
Path header_of(std::string line) {
    line.replace(line.rfind("--json"), 6, "--csv -");
    const std::string out = run_command(line).out;
    return sim::report::csv_cells(out.substr(0, out.find('\n'))).value_or(Path{});
}

// Whether these are columns of the table, in the table's order.
bool is_part_of(const Path& header, const std::vector<SchemaKey>& columns, const std::string& options) {
    auto column = columns.begin();
    return !header.empty() && std::all_of(header.begin(), header.end(), [&](const std::string& name) {
        if (column != columns.end() && is_any(column->name()) &&
            options.find("  --" + name + " ") != std::string::npos) {
            return true;
        }
        column = std::find_if(column, columns.end(), [&](const SchemaKey& key) { return key.name() == name; });
        return column != columns.end() && column++ != columns.end();
    });
}

TEST(Columns, OfCsvAreThoseThatAreDocumented) {
    const SchemaInputs inputs;
    const std::string options = run_command("ndsim train --help").out;
    const std::vector<PrintedJson> lines = printed_json(inputs);
    for (const auto& program : sim::command_line::documented_columns(sim::command_line::Schemas())) {
        std::vector<std::set<std::string>> seen(program.csv.size());
        for (const PrintedJson& one : lines) {
            if (program.csv.empty() || !one.line.starts_with(program.programs.front() + " ") ||
                !one.line.ends_with("--json")) {
                continue;
            }
            const Path header = header_of(one.line);
            std::size_t table = 0;
            while (table < seen.size() && !is_part_of(header, program.csv[table].columns, options)) {
                ++table;
            }
            ASSERT_LT(table, seen.size()) << one.line << ": " << sim::report::csv_line(header);
            seen[table].insert(header.begin(), header.end());
        }
        for (std::size_t table = 0; table < seen.size(); ++table) {
            for (const SchemaKey& column : program.csv[table].columns) {
                EXPECT_TRUE(is_any(column.name()) || seen[table].contains(column.name()))
                    << program.programs.front() << " " << program.csv[table].when << " " << column.name();
                EXPECT_TRUE(column.what.ends_with('.')) << column.name();
            }
        }
    }
}

// The runs' spans together have every number except FLOPs.
TEST(Columns, OfSpansAreThoseThatAreDocumented) {
    const TemporaryFolder folder;
    const JsonSchema schema("span.schema.json");
    Path documented;
    for (const SchemaKey& key : sim::command_line::Schemas().keys_of("span.schema.json")) {
        if (!key.path.empty()) {
            documented.push_back(key.name());
        }
    }
    std::set<std::string> printed;
    for (const char* const line : {"2d_tensor_parallel --quiet --host fiber", "distributed_hello --quiet",
                                   "1d_data_parallel --overlap --buckets 2 --quiet --host fiber",
                                   "ndsim train --model llama3.2-1b --gpus 4 --pp 2 --global-batch 4"}) {
        const std::string file = folder.file("spans");
        ASSERT_EQ(run_command(fmt::format("{0} --trace '{1}.ndjson'", line, file)).exit_code, 0) << line;
        std::istringstream spans(content_of(file + ".ndjson"));
        for (std::string span; std::getline(spans, span);) {
            const json object = json::parse(span);
            ASSERT_EQ(schema.complaints(object), "") << line << "\n" << span;
            for (const auto& [key, value] : object.items()) {
                printed.insert(key);
            }
        }
        ASSERT_EQ(run_command(fmt::format("{0} --trace '{1}.csv'", line, file)).exit_code, 0) << line;
        const std::string table = content_of(file + ".csv");
        EXPECT_EQ(sim::report::csv_cells(table.substr(0, table.find('\n'))), documented) << line;
    }
    for (const std::string& name : documented) {
        EXPECT_TRUE(printed.contains(name) || printed_by_others.contains(name)) << name;
    }
}

// "  train       how long a training step takes, …"
std::vector<std::string> commands() {
    const std::string help = run_command("ndsim --help").out;
    const std::size_t begin = help.find("Commands:\n") + 10;
    std::istringstream lines(help.substr(begin, help.find("\n\n", begin) - begin));
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        names.push_back("ndsim " + line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
}

TEST(HelpColumns, OfEveryProgramShowsWhatItPrints) {
    std::vector<std::string> programs = commands();
    EXPECT_GE(programs.size(), 13U);
    // Its output is for shells.
    EXPECT_EQ(std::erase(programs, "ndsim completion"), 1U);
    EXPECT_EQ(refusal("ndsim completion --help columns"),
              "ndsim completion: --help columns: none of its output is documented");
    programs.insert(programs.end(), {"0d_sequential", "1d_data_parallel", "2d_tensor_parallel", "3d_pipeline_parallel",
                                     "4d_hybrid", "distributed_hello", "communication_profile"});
    const std::string all = run_command("ndsim --help columns").out;
    for (const std::string& program : programs) {
        const Said said = run_command(program + " --help columns");
        EXPECT_EQ(said.exit_code, 0) << program << "\n" << said.err;
        EXPECT_EQ(said.err, "");
        EXPECT_THAT(said.out, HasSubstr(".schema.json)\n")) << program;
        EXPECT_THAT(all, HasSubstr(said.out.substr(0, said.out.find("\n\n")))) << program;
        EXPECT_THAT(run_command(program + " --help").out, HasSubstr("--help columns")) << program;
    }
}

TEST(HelpColumns, HasALineForEachKeyAndColumnWithTypeAndUnit) {
    const std::string train = run_command("ndsim train --help columns").out;
    EXPECT_THAT(train, HasSubstr("What ndsim train prints with --json (train.schema.json)\n"));
    EXPECT_THAT(train, HasSubstr("\n  memory.stages[].activations "));
    EXPECT_THAT(train, testing::ContainsRegex("\n  step_seconds +number +Predicted seconds of a training step\\.\n"));
    EXPECT_THAT(train, testing::ContainsRegex("\n  cost_of_run +object or null +Cost of the run given"));
    EXPECT_THAT(train, HasSubstr("\nColumns of ndsim train --csv\n  part "));
    EXPECT_THAT(train,
                testing::ContainsRegex("traceEvents\\[\\]\\.cat +string +Kind of the span: .* One of: compute; "));
    EXPECT_THAT(run_command("ndsim plan -h columns").out, HasSubstr("\n  launch.<FRAMEWORK>.lines "));
}

}  // namespace
