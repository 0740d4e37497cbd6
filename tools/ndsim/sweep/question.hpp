// The question of `ndsim sweep`: its options, its rows, and its answer within one process, which Python asks. The
// command itself also works over several machines and into files.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/search/sweep/table.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/workers.hpp"
#include "tools/ndsim/command.hpp"

#include <map>
#include <string>
#include <vector>

namespace sim::tools {

struct SweepOptions {
    std::map<std::string, std::vector<std::string>> values;  // by option of ndsim train
    search::SweepPlot plot;
    int jobs = 0;
};

// The options of a sweep, where `training` are those of ndsim train, of which each may have several values. Both must
// outlive the rows.
std::vector<config::OptionRow> sweep_rows(const std::vector<config::OptionRow>& training, SweepOptions& options);
const command_line::Offer& sweep_offer();

// The names of the rows, in their order.
std::vector<std::string> sweep_order(const std::vector<config::OptionRow>& training);
// Its axes are in this order, whatever the order in which the options were typed. Throws UsageError without a model.
search::SweepGrid sweep_grid(const SweepOptions& options, const std::vector<std::string>& order);

// Predicts rows of the table, which must outlive it. Thread-safe.
command_line::RowMaker sweep_row_maker(const search::SweepTable& table);

// Has only a name and a question.
extern const Command sweep_here;

}  // namespace sim::tools
