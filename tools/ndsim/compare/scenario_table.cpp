#include "tools/ndsim/compare/scenario_table.hpp"

#include "libsim/config/text_file.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/ndsim/compare/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sim::tools {

using namespace report;
using namespace report::keys;

namespace {

// Larger relative differences are not those of another order of additions.
constexpr double most_rounding = 1e-9;

double mean_over_ranks(const ResultJson& run, const char* key) {
    double sum = 0;
    for (const ResultJson& rank : run.at("per_rank")) {
        sum += rank.at(key).get<double>();
    }
    return sum / static_cast<double>(run.at("per_rank").size());
}

double most_over_ranks(const ResultJson& run, const char* key) {
    double largest = 0;
    for (const ResultJson& rank : run.at("per_rank")) {
        largest = std::max(largest, rank.at(key).get<double>());
    }
    return largest;
}

int processes_of(const ResultJson& run) {
    std::set<long> pids;
    for (const ResultJson& rank : run.at("per_rank")) {
        pids.insert(rank.at("pid").get<long>());
    }
    return static_cast<int>(pids.size());
}

std::string mesh_of(const ResultJson& run) {
    std::string text;
    for (const char* axis : {"dp", "tp", "pp", "ep", "cp"}) {
        if (const int size = run.at("mesh").at(axis).get<int>(); size > 1) {
            text += fmt::format("{}{} {}", text.empty() ? "" : " x ", axis, size);
        }
    }
    return text.empty() ? "-" : text;
}

ScenarioRow row_of_json(const std::string& file, const ResultJson& run) {
    if (run.contains("step_seconds")) {
        throw config::UsageError(
            fmt::format("{} is of ndsim train and others of scenarios; all must be of the same", file));
    }
    const auto number_at = [&](const char* key) { return run.at(key).get<double>(); };
    ScenarioRow row{.file = file,
                    .scenario = run.at("scenario").get<std::string>(),
                    .mesh = mesh_of(run),
                    .ranks = run.at("ranks").get<int>(),
                    .processes = processes_of(run),
                    .simulated_seconds = number_at("simulated_seconds"),
                    .speedup = number_at("speedup"),
                    .efficiency = number_at("efficiency"),
                    .compute_seconds = mean_over_ranks(run, "compute_seconds"),
                    .communication_seconds = mean_over_ranks(run, "communication_seconds"),
                    .bubble_seconds = number_at("bubble_fraction") * number_at("simulated_seconds"),
                    .units_sent = mean_over_ranks(run, "units_sent"),
                    .messages = run.at("messages").get<std::int64_t>(),
                    .peak_memory_units = most_over_ranks(run, "peak_memory_units"),
                    .loss_before = number_at("loss_before"),
                    .loss = number_at("loss"),
                    .max_weight_difference = number_at("max_weight_difference"),
                    .is_compressed = run.contains("options") && run.at("options").at("compress") != "none",
                    .has_experts = run.at("mesh").at("ep").get<int>() > 1,
                    .wall_seconds = number_at("wall_seconds")};
    // The remainder may be a rounding error below zero.
    row.idle_seconds = std::max(0.0, mean_over_ranks(run, "idle_seconds") - row.bubble_seconds);
    return row;
}

TextRow time_row(const ScenarioRow& row) {
    return {{row.scenario, row.mesh, fmt::format("{}", row.ranks), fmt::format("{}", row.processes),
             in_seconds(row.simulated_seconds), fmt::format("{:.2f}x", row.speedup), percent_text(row.efficiency),
             in_seconds(row.compute_seconds), in_seconds(row.communication_seconds), in_seconds(row.bubble_seconds),
             in_seconds(row.idle_seconds)}};
}

TextRow training_row(const ScenarioRow& row) {
    return {{row.scenario, fmt::format("{:.6g}", row.units_sent), fmt::format("{}", row.messages),
             fmt::format("{:.6g}", row.peak_memory_units), fmt::format("{:.6f}", row.loss_before),
             fmt::format("{:.6f}", row.loss),
             row.has_same_weights() ? "yes"
             : row.is_compressed    ? "compressed"
                                    : "NO",
             in_seconds(row.wall_seconds)}};
}

std::string notes_of(const std::vector<ScenarioRow>& rows) {
    std::string text =
        "\n"
        "compute, exposed comm(unication), bubble, idle: simulated seconds, mean over the ranks; they add up to "
        "simulated.\n"
        "  exposed comm: messages that nothing was computed beside. bubble: waiting for other stages of a pipeline.\n"
        "  idle: any other waiting.\n"
        "speedup: against 0D, one rank alone, with the same options.\n"
        "units sent: by a rank, mean. messages: of all ranks. peak memory: units held by the rank that holds most.\n"
        "loss: before and after the training. same weights: as 0D's, to a relative difference of 1e-9.\n";
    for (const ScenarioRow& row : rows) {
        if (row.has_experts) {
            text += fmt::format(
                "{} trains a model with experts, so its loss is another; the 0D it is compared with trains the same.\n",
                row.scenario);
        }
    }
    return text;
}

}  // namespace

bool ScenarioRow::has_same_weights() const {
    return max_weight_difference <= most_rounding;
}

ScenarioRow read_scenario_row(const std::string& file) {
    const std::string text = config::read_json_text(file, "a JSON file", config::written_by_programs);
    return read_result(file, text, [&](const ResultJson& json) { return row_of_json(file, json); });
}

std::string text_of(const std::vector<ScenarioRow>& rows) {
    TextTable times{.columns = {{"scenario", Align::left},
                                {"mesh", Align::left},
                                {"ranks"},
                                {"processes"},
                                {"simulated"},
                                {"speedup"},
                                {"efficiency"},
                                {"compute"},
                                {"exposed comm"},
                                {"bubble"},
                                {"idle"}}};
    TextTable trainings{.columns = {{"scenario", Align::left},
                                    {"units sent"},
                                    {"messages"},
                                    {"peak memory"},
                                    {"loss before"},
                                    {"loss"},
                                    {"same weights as 0D"},
                                    {"wall time"}}};
    for (const ScenarioRow& row : rows) {
        times.rows.push_back(time_row(row));
        trainings.rows.push_back(training_row(row));
    }
    return report::text_of(times) + "\n" + report::text_of(trainings) + notes_of(rows);
}

const report::Record<ScenarioRow>& scenario_row_record() {
    using Row = ScenarioRow;
    static const report::Record<Row> record(
        "One of several scenarios.",
        {free_text<Row>("file", "File that the result was read from.", &Row::file),
         name<Row>("scenario", "Name of the scenario.", &Row::scenario),
         free_text<Row>("mesh", "Axes of size above one, and their sizes; -: none.", &Row::mesh),
         whole<Row>("ranks", "Number of ranks.", &Row::ranks),
         whole<Row>("processes", "Number of processes that the ranks ran in.", &Row::processes),
         number<Row>("simulated_seconds", "Simulated seconds of the run.", &Row::simulated_seconds),
         number<Row>("speedup", "Time of 0D with the same options, divided by that of this run.", &Row::speedup),
         number<Row>("efficiency", "Speedup divided by the number of ranks.", &Row::efficiency),
         number<Row>("compute_seconds", "Seconds of compute, the mean over the ranks.", &Row::compute_seconds),
         number<Row>("communication_seconds", "Seconds of messages that nothing was computed beside, the mean.",
                     &Row::communication_seconds),
         number<Row>("bubble_seconds", "Seconds of waiting for other stages of a pipeline, the mean.",
                     &Row::bubble_seconds),
         number<Row>("idle_seconds", "Seconds of any other waiting, the mean.", &Row::idle_seconds),
         number<Row>("units_sent", "Units of data that a rank sent, the mean.", &Row::units_sent),
         whole<Row>("messages", "Messages of all ranks.", &Row::messages),
         number<Row>("peak_memory_units", "Units of data that the fullest rank held at its peak.",
                     &Row::peak_memory_units),
         number<Row>("loss_before", "Loss before the training.", &Row::loss_before),
         number<Row>("loss", "Loss after the training.", &Row::loss),
         number<Row>("max_weight_difference", "Largest relative difference between the weights and those of 0D.",
                     &Row::max_weight_difference),
         truth<Row>("compressed", "Whether gradients were compressed, so that weights may differ.",
                    &Row::is_compressed),
         number<Row>("wall_seconds", "Seconds that the run took.", &Row::wall_seconds)});
    return record;
}

}  // namespace sim::tools
