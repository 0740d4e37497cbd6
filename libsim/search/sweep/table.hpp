// The table keeps the rows of a sweep in a CSV file, from which an interrupted sweep can resume; a row is identified by
// the options at its start.
//
// An interruption may leave a partial last row, which is dropped. Rows of configurations outside this sweep are kept,
// after the others.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/search/sweep/grid.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim::search {

// The axes of a sweep's plot, of plot_widths() and plot_heights(). Less is better on both.
struct SweepPlot {
    std::string x;  // empty: the GPUs if the rows differ in them, and memory otherwise
    std::string y = "time";
};
std::vector<std::string> plot_widths();   // memory and gpus
std::vector<std::string> plot_heights();  // time and cost of a number of tokens, which compares batches of any size

class SweepTable {
public:
    explicit SweepTable(SweepGrid grid);

    std::string header() const;
    std::string row(std::size_t number, const std::vector<std::string>& result) const;

    // Reads the rows of `text` that belong to this sweep, and keeps the rest. Throws UsageError, which names `file`, if
    // its columns differ.
    void read(const std::string& text, const std::string& file);
    void add(std::size_t number, std::string row);

    const SweepGrid& grid() const { return grid_; }
    // Indices of the missing rows, in order.
    std::vector<std::size_t> missing() const;
    bool has(std::size_t number) const { return !rows_[number].empty(); }
    const std::string& row_text(std::size_t number) const { return rows_[number]; }

    // All existing rows, in the order of the grid.
    std::string csv() const;
    // The rows of this sweep.
    report::Table rows() const;
    // {"command":"sweep","given":{…},"rows":[{"tp":2,…,"step_seconds":…,"command":"ndsim train …"},…]}, with numeric
    // cells as numbers. `given`: the options that affect the result, as typed.
    std::string json(const config::Given& given) const;
    // For people: the options that differ between rows, and abbreviated results.
    std::string text() const;
    // The rows that fit as an SVG file, with a line through those that no other one beats. Empty if there is none.
    std::string plot(const SweepPlot& wanted) const;

private:
    SweepGrid grid_;
    std::vector<std::string> rows_;  // empty: missing
    std::vector<std::string> others_;
};

// tools/schemas/sweep.schema.json, and its part of columns.json.
report::SchemaText sweep_schema();
report::SchemaText sweep_columns();

}  // namespace sim::search
