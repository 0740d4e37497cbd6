// The bandwidth report shows the times of collectives of several sizes: a table as nccl-tests prints it, a plot, and
// JSON.
#pragma once

#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/search/collective_case.hpp"
#include "tools/command_line/run_options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::scenarios {

struct Timed {
    search::CollectiveCase what;
    Time end;                           // of the last rank; all began at 0
    std::optional<std::int64_t> wrong;  // wrong numbers on all ranks; none: run without numbers

    double algorithm_bandwidth() const { return static_cast<double>(what.bytes()) / seconds(end); }  // bytes/s
    double bus_bandwidth() const { return algorithm_bandwidth() * what.bus_factor(); }
};

// Requires: at least one row, all with the same kind, algorithm and number of ranks.
std::string bandwidth_table(const command_line::RunOptions& options, const std::vector<Timed>& rows);
// One row per size; bandwidths in bytes per second.
report::Table bandwidth_rows(const std::vector<Timed>& rows);
std::string bandwidth_json(const command_line::RunOptions& options, const std::vector<Timed>& rows);

// communication_profile.schema.json, and its columns in columns.json.
report::SchemaText bandwidth_schema();
report::SchemaText bandwidth_columns();

}  // namespace sim::scenarios
