// The goodput report is the answer of `ndsim goodput`, as text, JSON, a table of runs, and a picture: how much of a
// long job's time is effective, where the rest goes, and what would change it.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/goodput/alternatives.hpp"
#include "libsim/goodput/study.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::goodput {

struct GoodputQuestion {
    LongJob job;
    LongDuration step{0};
    std::string model;    // empty: the step time was given, not predicted
    std::string machine;  // likewise
    std::uint64_t seed = 1;
    std::size_t runs = 1;
    std::optional<Study> study;
    std::vector<std::string> notes;  // derived and assumed values, a line each
};

struct GoodputReport {
    GoodputQuestion question;
    JobSample sample;
    std::vector<IntervalRow> intervals;
    std::vector<PolicyRow> policies;
    std::vector<SensitivityRow> sensitivities;
    std::size_t middle = 0;        // the median run, which is drawn
    std::vector<JobPhase> phases;  // of the median run
    config::Given given;           // the options

    const LongJob& job() const { return question.job; }
};

GoodputReport goodput_report(GoodputQuestion question, const ForEach& for_each);

std::string text_of(const GoodputReport& report);
std::string json_of(const GoodputReport& report);
// The contents of tools/schemas/goodput.schema.json, and this command's part of columns.json.
report::SchemaText goodput_schema();
report::SchemaText goodput_columns();
// One row per run.
report::Table table_of(const GoodputReport& report);
// An SVG of the median run: its work over time, and its interruptions.
std::string picture_of(const GoodputReport& report);

// One of several equally long slots of the median run.
struct GoodputSlot {
    double share = 0;       // effective share of its time
    int interruptions = 0;  // unexpected
};
std::vector<GoodputSlot> slots_of(const GoodputReport& report, std::size_t count);

}  // namespace sim::goodput
