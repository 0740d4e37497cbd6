// The table keeps the rows of a sweep in a CSV file, from which an interrupted sweep can resume; the options at its
// start identify a row.
//
// A file that an interruption left has whole rows and perhaps a part of one, which is dropped. Rows of configurations
// that are not of this sweep stay, behind the others.
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

class SweepTable {
public:
    explicit SweepTable(SweepGrid grid);

    std::string header() const;
    std::string row(std::size_t number, const std::vector<std::string>& result) const;

    // Reads the rows of `text` that are of this sweep, and keeps the rest. Throws UsageError, which names `file`, if
    // its columns differ.
    void read(const std::string& text, const std::string& file);
    void add(std::size_t number, std::string row);

    const SweepGrid& grid() const { return grid_; }
    // In order.
    std::vector<std::size_t> missing() const;
    bool has(std::size_t number) const { return !rows_[number].empty(); }
    const std::string& row_text(std::size_t number) const { return rows_[number]; }

    // All that is there, in the order of the grid.
    std::string csv() const;
    // Those of this sweep.
    report::Table rows() const;
    // {"command":"sweep","given":{…},"rows":[{"tp":2,…,"step_seconds":…,"command":"ndsim train …"},…]}: numbers where
    // the cells are. `given`: the options that change the result, as typed.
    std::string json(const config::Given& given) const;
    // For people: what differs between the rows, and the results in short.
    std::string text() const;

private:
    SweepGrid grid_;
    std::vector<std::string> rows_;  // empty: not there yet
    std::vector<std::string> others_;
};

// tools/schemas/sweep.schema.json, and its part of columns.json.
report::SchemaText sweep_schema();
report::SchemaText sweep_columns();

}  // namespace sim::search
