// The goodput report is the answer of `ndsim goodput`: how much of a long job's time is effective, what becomes of the
// rest, and what would change it. As text, JSON, a table of runs, and a picture.
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
    std::string model;    // empty: the step was not predicted
    std::string machine;  // empty, too
    std::uint64_t seed = 1;
    std::size_t runs = 1;
    std::optional<Study> study;
    std::vector<std::string> told;  // what was derived or assumed, a line each
};

struct GoodputReport {
    GoodputQuestion question;
    JobSample sample;
    std::vector<IntervalRow> intervals;
    std::vector<PolicyRow> policies;
    std::vector<SensitivityRow> sensitivities;
    std::size_t middle = 0;        // the run that is drawn
    std::vector<JobPhase> phases;  // of it
    config::Given given;           // the options

    const LongJob& job() const { return question.job; }
};

GoodputReport goodput_report(GoodputQuestion question, const ForEach& for_each);

std::string text_of(const GoodputReport& report);
std::string json_of(const GoodputReport& report);
// tools/schemas/goodput.schema.json, and its part of columns.json.
report::SchemaText goodput_schema();
report::SchemaText goodput_columns();
// A row for each run.
report::Table table_of(const GoodputReport& report);
// The run in the middle: work over time, and where it was interrupted.
std::string picture_of(const GoodputReport& report);

// A piece of the run in the middle, one of several of the same length.
struct GoodputSlot {
    double share = 0;       // of its time that was effective
    int interruptions = 0;  // unexpected
};
std::vector<GoodputSlot> slots_of(const GoodputReport& report, std::size_t count);

}  // namespace sim::goodput
