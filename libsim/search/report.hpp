// The search report is the output of `ndsim plan`.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/search/search.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::search {

// Which of the layouts that fit are listed: those that no other one beats, or the best by the objective.
enum class PlanList : std::uint8_t { front, best };

struct PlanReport {
    PlanQuestion question;
    Plan plan;
    PlanObjective objective = PlanObjective::time;
    PlanList list = PlanList::front;
    std::size_t top = 10;                     // rows of the table at most
    config::Given given;                      // the options that change the result, as typed
    std::vector<std::string> told;            // options left out and how they were derived, a line each
    std::optional<EnoughGpus> enough;         // where nothing fits
    std::vector<std::string> first_problems;  // where nothing is legal: why the first layout is not
};

// The rows that are listed, `top` at most, best first. Requires a search of as many best ones where these are listed.
std::vector<std::size_t> listed_rows(const Plan& plan, PlanList list, std::size_t top);

// "ndsim train …", which predicts this layout: the same step and memory, to the last digit.
std::string command_of(const PlanReport& report, const PlanPoint& point);

// "split heads unevenly": layouts with this misfit.
const char* what_is_wrong(training::Misfit misfit);
// "412 of 1,024 layouts need more than 80.00 GB; 96 split heads unevenly": nothing is left out.
std::string counts_text(const PlanCounts& counts, const training::Machine& machine);

// For people. Lines end with "\n".
std::string text_of(const PlanReport& report);
// For programs: one object on one line. It depends on the question alone, not on this machine.
std::string json_of(const PlanReport& report);
// All simulated layouts that fit, best first; robustness of those that are listed alone.
report::Table table_of(const PlanReport& report);
// tools/schemas/plan.schema.json, and its part of columns.json.
report::SchemaText plan_schema();
report::SchemaText plan_columns();
// Tensor parallel over pipeline stages: the shortest step that is known of each pair, as colours.
std::string heatmap_svg(const PlanReport& report);
// Each simulated layout: its step over its memory, and those that no other one beats joined. Empty: none fits.
std::string scatter_svg(const PlanReport& report);

}  // namespace sim::search
