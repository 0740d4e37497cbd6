// The rows of a sweep in a file that can be gone on with: CSV, each row known by the options it begins with.
//
// A file that an interruption left has whole rows and perhaps a part of one, which is dropped. Rows of configurations
// that are not of this sweep stay, behind the others.
#pragma once

#include "libsim/planning/sweep/grid.hpp"
#include "libsim/report/table.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim::planning {

class SweepTable {
public:
    explicit SweepTable(SweepGrid grid);

    std::string header() const;
    std::string row(std::size_t number, const std::vector<std::string>& result) const;

    // What `text` has of this sweep, and the rest of it. Throws UsageError, which names `file`, where its columns are
    // others.
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
    // {"command":"sweep","rows":[{"tp":2,…,"step_seconds":…},…]}: numbers where the cells are.
    std::string json() const;

private:
    SweepGrid grid_;
    std::vector<std::string> rows_;  // empty: not there yet
    std::vector<std::string> others_;
};

}  // namespace sim::planning
