// The search report is the output of `ndsim plan`.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/search/search.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::search {

// The layouts that are listed: those that no other one beats, or the best by the objective.
enum class PlanList : std::uint8_t { front, best };

// A quantity by which layouts are ranked. Several have the same order: with a global batch and a price per GPU-hour,
// tokens per second follow the step time; MFU and FLOPs per second follow GPU-hours, and so does the cost of a token.
struct PlanKey {
    const char* name;         // "mfu"
    PlanObjective objective;  // has this order
    const char* heading;      // above the best by this key alone
};
std::span<const PlanKey> plan_keys();
// Requires: there is such a key.
const PlanKey& plan_key(std::string_view name);

struct PlanReport {
    PlanQuestion question;
    Plan plan;
    PlanObjective objective = PlanObjective::time;
    PlanList list = PlanList::front;
    std::string by = "time";                  // the key of the best: "time", "mfu"
    std::size_t top = 10;                     // maximum number of rows in the table
    config::Given given;                      // the options that affect the result, as typed
    std::vector<std::string> notes;           // derived options and how they were derived, one line each
    std::optional<EnoughGpus> enough;         // if nothing fits
    std::vector<std::string> first_problems;  // if nothing is legal: why the first layout is not
};

// The rows to list, best first, at most `top`. To list the best, the search must have asked for as many.
std::vector<std::size_t> listed_rows(const Plan& plan, PlanList list, std::size_t top);

// "ndsim train …", the command that predicts this layout: the same step and memory, to the last digit.
std::string command_of(const PlanReport& report, const PlanPoint& point);

// The misfit as a predicate of layouts: "split heads unevenly".
const char* what_is_wrong(training::Misfit misfit);
// "412 of 1,024 layouts need more than 80.00 GB; 96 split heads unevenly"; accounts for all layouts.
std::string counts_text(const PlanCounts& counts, const training::Machine& machine);

// The report for people. Every line ends with a newline.
std::string text_of(const PlanReport& report);
// The report for programs: one JSON object on one line. It depends only on the question, not on the computer that runs
// the search.
std::string json_of(const PlanReport& report);
// All simulated layouts that fit, best first, with the robustness of only those that are listed.
report::Table table_of(const PlanReport& report);
// tools/schemas/plan.schema.json, and its part of columns.json.
report::SchemaText plan_schema();
report::SchemaText plan_columns();
// Tensor-parallel size over pipeline stages: the shortest known step of each pair, as a colour.
std::string heatmap_svg(const PlanReport& report);
// Each simulated layout: its step over its memory, with a line through those that no other one beats. Empty if none
// fits.
std::string scatter_svg(const PlanReport& report);

}  // namespace sim::search
