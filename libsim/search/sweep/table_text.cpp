// Prints the rows of a sweep for people.
#include "libsim/report/amounts.hpp"
#include "libsim/report/csv.hpp"
#include "libsim/report/text_table.hpp"
#include "libsim/search/sweep/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace sim::search {

using namespace report;

namespace {

// A column of the results: its index in result_columns(), and its number format.
struct ShownResult {
    const char* column;
    const char* heading;
    std::string (*text)(double);
};
constexpr ShownResult shown_results[]{
    {"step_seconds", "step", time_text},
    {"tokens_per_second", "tokens/s", count_text},
    {"mfu", "MFU", percent_text},
    {"model_flops_per_second_per_gpu", "TFLOP/s", teraflops_text},
    {"bubble", "bubble", percent_text},
    {"memory", "memory", bytes_text},
    {"usd_per_step", "$ a step", money_text},
};

std::size_t place_of(const char* column) {
    const std::vector<std::string> columns = result_columns();
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
}

}  // namespace

std::string SweepTable::text() const {
    TextTable table;
    const std::size_t axes = grid_.axes.size();
    for (const SweepAxis& axis : grid_.axes) {
        if (axis.values.size() > 1) {
            table.columns.push_back({axis.option, Align::right});
        }
    }
    for (const ShownResult& shown : shown_results) {
        table.columns.push_back({shown.heading});
    }
    for (const std::string& row : rows_) {
        if (row.empty()) {
            continue;
        }
        const std::vector<std::string> all = csv_cells(row).value();
        std::vector<std::string> cells;
        for (std::size_t i = 0; i < axes; ++i) {
            if (grid_.axes[i].values.size() > 1) {
                cells.push_back(all[i]);
            }
        }
        const bool has_step = !all[axes + place_of("step_seconds")].empty();
        for (const ShownResult& shown : shown_results) {
            const std::string& cell = all[axes + place_of(shown.column)];
            if (has_step) {
                cells.push_back(cell.empty() ? "" : shown.text(std::strtod(cell.c_str(), nullptr)));
            }
        }
        table.rows.push_back({std::move(cells), all[axes + place_of("why")]});
    }
    return fmt::format("ndsim sweep{}\n", grid_.shared()) + text_of(table);
}

}  // namespace sim::search
