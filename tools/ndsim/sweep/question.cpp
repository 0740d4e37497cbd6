#include "tools/ndsim/sweep/question.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/predict/training_options.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace predict;
using namespace search;

std::vector<OptionRow> sweep_rows(const std::vector<OptionRow>& training, SweepOptions& options) {
    std::vector<OptionRow> rows;
    for (const OptionRow& row : training) {
        const auto take = [&row, &options](const std::string& what, const TomlValue& value, bool sets) {
            std::vector<std::string> values = sweep_values(row, what, value);
            if (sets) {
                options.values[row.name] = std::move(values);
            }
        };
        rows.push_back({.name = row.name,
                        .takes = row.takes + (row.has_commas ? ";…" : ",…"),
                        .help = row.help,
                        .kind = Custom{take, known_values(row)},
                        .group = row.group});
    }
    const std::vector<OptionRow> shown = in_group(
        GroupName::output,
        {keeping_result({"plot-x", "NAME", "x axis of --plot: memory or gpus (gpus if the rows differ in them)",
                         choice(options.plot.x, plot_widths())}),
         keeping_result({"plot-y", "NAME", "y axis of --plot: time or cost, per 1 T tokens (time)",
                         choice(options.plot.y, plot_heights())})});
    rows.insert(rows.end(), shown.begin(), shown.end());
    rows.push_back(jobs_row(options.jobs));
    return rows;
}

const Offer& sweep_offer() {
    static const Offer offer{
        .json = "print one JSON object with all rows",
        .table = "write all rows as CSV at the end",
        .plot = "plot the rows that fit, cost or time over memory or GPUs, with those that no other one beats"};
    return offer;
}

std::vector<std::string> sweep_order(const std::vector<OptionRow>& rows) {
    std::vector<std::string> names;
    for (const OptionRow& row : rows) {
        names.push_back(row.name);
    }
    return names;
}

// The axes are in the order of `ndsim train`'s options, whatever the order in which they were typed.
SweepGrid sweep_grid(const SweepOptions& options, const std::vector<std::string>& order) {
    if (options.values.count("model") == 0) {
        throw UsageError("--model is missing: presets or files, several with commas; see --help");
    }
    SweepGrid grid;
    for (const std::string& name : order) {
        if (const auto found = options.values.find(name); found != options.values.end()) {
            grid.axes.push_back({name, found->second});
        }
    }
    grid.size();
    return grid;
}

RowMaker sweep_row_maker(const SweepTable& table) {
    return [&table](std::size_t number) {
        static const CasePredictor predictor = [](const TrainingCase& what, const PredictOptions& ask) {
            return predict_step(what.model, what.machine, what.layout, ask);
        };
        return table.row(number, result_of(table.grid().configuration(number), predictor));
    };
}

namespace {

Answer sweep_answer(const SweepOptions& options, const std::vector<std::string>& order, const Asked& asked) {
    const auto table = std::make_shared<SweepTable>(sweep_grid(options, order));
    const RowMaker make = sweep_row_maker(*table);
    Workers workers(options.jobs);
    Queue queue(table->missing());
    const std::size_t all = table->grid().size();
    std::size_t there = 0;
    over_cores(queue, workers, make, [&](std::size_t number, std::string row) {
        table->add(number, std::move(row));
        if (asked.listener.progress) {
            asked.listener.progress(++there, all, "rows");
        }
        return !asked.is_stopped();
    });
    return {.forms = {.text = [table] { return table->text(); },
                      .json = [table, given = asked.given] { return table->json(given); },
                      .table = [table] { return table->rows(); },
                      .plot = [table, plot = options.plot] { return table->plot(plot); }}};
}

Question sweep_question() {
    struct Kept {
        TrainingOptions unused;
        std::vector<OptionRow> training = training_rows(unused);
        SweepOptions options;
    };
    const auto kept = std::make_shared<Kept>();
    return {.rows = sweep_rows(kept->training, kept->options),
            .offer = sweep_offer(),
            .answer =
                [kept](const Asked& asked) { return sweep_answer(kept->options, sweep_order(kept->training), asked); },
            .stops_early = true};
}

}  // namespace

const Command sweep_here{.name = "sweep",
                         .headline = "predict every combination of train's options within this process",
                         .summary = "",
                         .examples = {},
                         .question = sweep_question};

}  // namespace sim::tools
