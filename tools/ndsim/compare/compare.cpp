// `ndsim compare` shows two results side by side, and what makes the difference, or several scenarios in one table.
#include "libsim/config/errors.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/page/page.hpp"
#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/compare/compared_run.hpp"
#include "tools/ndsim/compare/run_again.hpp"
#include "tools/ndsim/compare/scenario_table.hpp"
#include "tools/ndsim/compare/step_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace report;
using namespace report::keys;

namespace {

struct CompareOptions {
    std::string first;
    std::string second;
    std::vector<std::string> others;

    std::vector<std::string> files() const {
        std::vector<std::string> all{first, second};
        all.insert(all.end(), others.begin(), others.end());
        return all;
    }
};

std::vector<OptionRow> option_rows(CompareOptions& options) {
    return {as_argument({"A", "", "result to start from", config::file(options.first)}),
            as_argument({"B", "", "result to compare with it", config::file(options.second)}),
            as_argument({"C", "", "further results, all of scenarios or all of ndsim train: they make one table",
                         config::files(options.others)},
                        Role::more_arguments)};
}

// The two runs and their comparison.
struct Compared {
    ComparedRun a;
    ComparedRun b;
    report::Comparison comparison;
};

// A line of the table: the time of one part in both runs.
struct LineOfBoth {
    std::string name;
    TimePart part;
    double a;
    double b;
};

std::vector<LineOfBoth> lines_of(const Compared& both) {
    std::vector<LineOfBoth> lines;
    for (std::size_t i = 0; i < both.a.lines.size(); ++i) {
        const ComparedLine& a = both.a.lines[i];
        lines.push_back({a.name, a.part, a.seconds, both.b.lines[i].seconds});
    }
    return lines;
}

const report::Record<LineOfBoth>& line_columns() {
    using Line = LineOfBoth;
    static const report::Record<Line> record(
        "A part of the time.",
        {free_text<Line>("part", "Part of the time.", &Line::name),
         free_text<Line>("group", "compute, exposed communication, bubble or rest.",
                         [](const Line& of) { return title_of(of.part); }),
         number<Line>("a_seconds", "Seconds of the part in A, the mean over the ranks.", &Line::a),
         number<Line>("b_seconds", "Seconds of the part in B.", &Line::b),
         number<Line>("difference_seconds", "Seconds that B has more than A.",
                      [](const Line& of) { return of.b - of.a; })});
    return record;
}

TextRow row_of(const std::string& name, double a, double b, double whole) {
    return {{name, fmt::format("{:.6g}", a), fmt::format("{:.6g}", b), fmt::format("{:+.6g}", b - a),
             change_text(b - a, whole)}};
}

std::string text_of(const Compared& both) {
    const auto& [a, b, comparison] = both;
    TextTable table{.columns = {{"seconds, mean over the ranks", Align::left}, {"A"}, {"B"}, {"B - A"}, {"of A"}}};
    for (const LineOfBoth& line : lines_of(both)) {
        if (line.a != 0 || line.b != 0) {
            table.rows.push_back(row_of(line.name, line.a, line.b, a.seconds));
        }
    }
    table.rows.push_back(row_of(comparison.all.name, a.seconds, b.seconds, a.seconds));
    if (!comparison.changed.empty()) {
        table.rows.emplace_back();
    }
    for (const ComparedSetting& one : comparison.changed) {
        table.rows.push_back(
            {{one.name}, fmt::format("{} -> {}", one.a.empty() ? "none" : one.a, one.b.empty() ? "none" : one.b)});
    }
    std::string figures;
    for (const ComparedFigure& one : comparison.figures) {
        figures += fmt::format("{}: {} -> {} ({})\n", one.name, one.a, one.b, one.change);
    }
    return fmt::format("A  {}  ({})\nB  {}  ({})\n\n", a.name, a.file, b.name, b.file) + text_of(table) + "\n" +
           figures + comparison.sentence + "\n";
}

const report::Record<ComparedRun>& result_record() {
    static const report::Record<ComparedRun> record(
        "The result to start from.",
        {name<ComparedRun>("file", "File that it was read from.", &ComparedRun::file),
         name<ComparedRun>("name", "The scenario, or the model and machine, of the result.", &ComparedRun::name),
         only_if(whole<ComparedRun>("peak_memory_bytes",
                                    "Bytes that the fullest GPU holds at its peak; a predicted step has it.",
                                    [](const ComparedRun& of) { return of.peak_bytes.value_or(0); }),
                 [](const ComparedRun& of) { return of.peak_bytes.has_value(); }),
         only_if(number<ComparedRun>("model_flops_per_second_per_gpu",
                                     "FLOPs of the model per second and GPU; a predicted step has it.",
                                     [](const ComparedRun& of) { return of.flops_per_second.value_or(0); }),
                 [](const ComparedRun& of) { return of.flops_per_second.has_value(); }),
         only_if(number<ComparedRun>("peak_memory_units",
                                     "Units of data that the fullest rank holds at its peak; a scenario has it.",
                                     [](const ComparedRun& of) { return of.peak_units.value_or(0); }),
                 [](const ComparedRun& of) { return of.peak_units.has_value(); })});
    return record;
}

const report::Record<ComparedTime>& part_of_time_record() {
    static const report::Record<ComparedTime> record(
        "One part of the time.",
        {number<ComparedTime>("a_seconds", "Seconds of this part in a, the mean over the ranks.", &ComparedTime::a),
         number<ComparedTime>("b_seconds", "Seconds of this part in b.", &ComparedTime::b),
         number<ComparedTime>("difference_seconds", "Seconds that b has more than a.", &ComparedTime::difference)});
    return record;
}

const report::Record<ComparedSetting>& setting_record() {
    static const report::Record<ComparedSetting> record(
        "An option that differs.",
        {name<ComparedSetting>("a", "Value in a; empty: it has none.", &ComparedSetting::a),
         name<ComparedSetting>("b", "Value in b; empty: it has none.", &ComparedSetting::b)});
    return record;
}

// Pairs each part or setting with its name.
template <class T>
std::vector<std::pair<std::string, T>> by_name(const std::vector<T>& all) {
    std::vector<std::pair<std::string, T>> named;
    for (const T& one : all) {
        named.emplace_back(one.name, one);
    }
    return named;
}

const report::Record<Compared>& compared_record() {
    constexpr const char* result = "#/definitions/result";
    static const report::Record<Compared> record(
        "Two results side by side.",
        {command<Compared>("compare"), part<Compared>("a", result_record(), &Compared::a, result),
         described(part<Compared>("b", result_record(), &Compared::b, result), "The result to compare with it."),
         number<Compared>("a_seconds", "Seconds of a.", [](const Compared& of) { return of.comparison.all.a; }),
         number<Compared>("b_seconds", "Seconds of b.", [](const Compared& of) { return of.comparison.all.b; }),
         number<Compared>("difference_seconds", "b_seconds - a_seconds.",
                          [](const Compared& of) { return of.comparison.all.difference(); }),
         map_of<Compared>("parts", "Compute, exposed communication, bubble and rest; they add up to the seconds.",
                          "PART", part_of_time_record(),
                          [](const Compared& of) { return by_name(of.comparison.parts); }),
         map_of<Compared>("changed", "Options that differ.", "OPTION", setting_record(),
                          [](const Compared& of) { return by_name(of.comparison.changed); }),
         free_text<Compared>("sentence", "The cause of the difference, in one sentence.",
                             [](const Compared& of) { return of.comparison.sentence; })});
    return record;
}

// The timeline of one run, with its letter in the title and its file among the facts.
Timeline timeline_of(char letter, const ComparedRun& run) {
    Timeline timeline = run_again(run);
    timeline.title = fmt::format("{}: {}", letter, timeline.title);
    timeline.facts.insert(timeline.facts.begin(), {"file", run.file});
    return timeline;
}

// A page with the timelines of all runs on one time axis.
std::string page_of(const std::vector<std::string>& files) {
    std::vector<Timeline> timelines;
    for (const std::string& file : files) {
        const auto letter = static_cast<char>('A' + timelines.size() % 26);
        timelines.push_back(timeline_of(letter, read_run(file)));
    }
    std::vector<const Timeline*> runs;
    for (const Timeline& timeline : timelines) {
        runs.push_back(&timeline);
    }
    std::ostringstream page;
    write_page(page, runs);
    return page.str();
}

// A page with both timelines on one time axis.
std::string page_of(const Compared& both) {
    const Timeline a = timeline_of('A', both.a);
    const Timeline b = timeline_of('B', both.b);
    const std::array<const Timeline*, 2> runs{&a, &b};
    std::ostringstream page;
    write_page(page, runs, most_page_spans, &both.comparison);
    return page.str();
}

// Several predicted steps.
struct Steps {
    std::vector<ComparedRun> runs;
};

const report::Record<Steps>& steps_record() {
    static const report::Record<Steps> record(
        "Several predicted steps in one table.",
        {command<Steps>("compare"),
         list_of<Steps>("steps", "The results in their order.", step_row_record(), &Steps::runs)});
    return record;
}

Answer steps_answer(const std::vector<std::string>& files) {
    const auto all = std::make_shared<Steps>();
    for (const std::string& file : files) {
        all->runs.push_back(read_run(file));
        if (!all->runs.back().is_prediction) {
            throw UsageError(
                fmt::format("{} is of a scenario and {} of ndsim train; all must be of the same", file, files.front()));
        }
    }
    return {.forms = {.text = [all] { return text_of_steps(all->runs); },
                      .json = [all] { return json_line(steps_record().json(*all)); },
                      .table = [all] { return step_row_record().table(all->runs); },
                      .page = [files] { return page_of(files); }}};
}

// Several results of scenarios.
struct Scenarios {
    std::vector<ScenarioRow> runs;
};

const report::Record<Scenarios>& scenarios_record() {
    static const report::Record<Scenarios> record(
        "Several scenarios in one table.",
        {command<Scenarios>("compare"),
         list_of<Scenarios>("runs", "The results in their order.", scenario_row_record(), &Scenarios::runs)});
    return record;
}

// The answer is no if a scenario trained other weights than 0D.
Answer table_answer(const std::vector<std::string>& files) {
    const auto all = std::make_shared<Scenarios>();
    for (const std::string& file : files) {
        all->runs.push_back(read_scenario_row(file));
    }
    const bool agree =
        std::all_of(all->runs.begin(), all->runs.end(), [](const ScenarioRow& run) { return run.agrees(); });
    return {.forms = {.text = [all] { return text_of(all->runs); },
                      .json = [all] { return json_line(scenarios_record().json(*all)); },
                      .table = [all] { return scenario_row_record().table(all->runs); },
                      .page = [files] { return page_of(files); }},
            .exit_code = agree ? exit_code::done : exit_code::failed};
}

Answer compare_answer(const CompareOptions& options) {
    if (!options.others.empty()) {
        return read_run(options.first).is_prediction ? steps_answer(options.files()) : table_answer(options.files());
    }
    const auto both = std::make_shared<Compared>(
        Compared{.a = read_run(options.first), .b = read_run(options.second), .comparison = {}});
    both->comparison = compared(both->a, both->b);
    return {.forms = {.text = [both] { return text_of(*both); },
                      .json = [both] { return json_line(compared_record().json(*both)); },
                      .table = [both] { return line_columns().table(lines_of(*both)); },
                      .page = [both] { return page_of(*both); }}};
}

Question compare_question() {
    const auto options = std::make_shared<CompareOptions>();
    return {.rows = option_rows(*options),
            .offer = {.json = "print one JSON object instead of the table",
                      .table = "write a row for each part of the time, or for each of several scenarios, as CSV",
                      .page = "write a page for the browser with all timelines; repeats the runs"},
            .answer = [options](const Asked&) { return compare_answer(*options); }};
}

SchemaText compare_schema() {
    return schema_of_command(
        "compare",
        {{"oneOf",
          {{{"$ref", "#/definitions/two"}}, {{"$ref", "#/definitions/several"}}, {{"$ref", "#/definitions/steps"}}}},
         {"definitions",
          {{"two", compared_record().schema()},
           {"several", scenarios_record().schema()},
           {"steps", steps_record().schema()},
           {"result", result_record().schema()}}}});
}

SchemaText compare_columns() {
    return columns_of_program("ndsim compare", {{line_columns().columns(), "two results"},
                                                {scenario_row_record().columns(), "three or more of scenarios"},
                                                {step_row_record().columns(), "three or more of ndsim train"}});
}

}  // namespace

const Command compare_command{
    .name = "compare",
    .headline = "compare results: what makes the difference, and why; or several scenarios in one table",
    .summary =
        "Compares results of --json. Two results, both of scenarios or both of ndsim train: where the time of each "
        "went, "
        "what makes the difference, and which options differ. Three or more of either: one table of where the time of "
        "each went and of the memory that it takes; of scenarios, also what came of their training.",
    .examples = {"ndsim compare a.json b.json                       # what changed, and why",
                 "ndsim compare a.json b.json --json                # for a script",
                 "ndsim compare a.json b.json --report page.html    # both timelines on one time axis",
                 "ndsim compare [0-4]d_*.json                       # all scenarios in one table"},
    .schemas = {compare_schema, compare_columns},
    .question = compare_question};

}  // namespace sim::tools
