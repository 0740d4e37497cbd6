// ndsim_compare FILE.json...: compares the --json output of several scenarios in one table, and does nothing else.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/command_line/exit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace sim;
using namespace sim::command_line;
using namespace sim::config;
using nlohmann::json;
using Row = report::TextRow;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
    throw config::UsageError(fmt::format("{}: must be what a scenario prints with --json, not {}", path, what));
}

json read(const std::string& path) {
    const std::string text = config::read_json_text(path, "a JSON file", written_by_programs);
    json run;
    try {
        run = json::parse(text);
    } catch (const json::exception& error) {
        throw config::UsageError(fmt::format("{}: is not valid JSON: {}", path, without_number(error.what())));
    }
    if (!run.is_object()) {
        refuse(path, run.is_array() ? "a list" : shortened(run.dump(-1, ' ', true, json::error_handler_t::replace)));
    }
    if (run.contains("command") && run.at("command").is_string()) {
        refuse(path, fmt::format("a result of ndsim {}", shortened(run.at("command").get<std::string>())));
    }
    if (!run.contains("scenario") || !run.contains("mesh") || !run.contains("per_rank")) {
        refuse(path, "another object: \"scenario\", \"mesh\" and \"per_rank\" are not all there");
    }
    return run;
}

constexpr const char* usage_line = "usage: ndsim_compare FILE.json...";

double number(const json& run, const char* key) {
    return run.at(key).get<double>();
}

// The mean over the ranks, which all live for the whole run: the means of the times add up to the simulated time.
double mean(const json& run, const char* key) {
    double sum = 0;
    for (const json& rank : run.at("per_rank")) {
        sum += number(rank, key);
    }
    return sum / static_cast<double>(run.at("per_rank").size());
}

double most(const json& run, const char* key) {
    double largest = 0;
    for (const json& rank : run.at("per_rank")) {
        largest = std::max(largest, number(rank, key));
    }
    return largest;
}

std::size_t processes(const json& run) {
    std::set<long> pids;
    for (const json& rank : run.at("per_rank")) {
        pids.insert(rank.at("pid").get<long>());
    }
    return pids.size();
}

bool is_compressed(const json& run) {
    return run.contains("options") && run.at("options").at("compress") != "none";
}

bool has_same_weights(const json& run) {
    return number(run, "max_weight_difference") <= 1e-9;
}

std::string name(const json& run) {
    return run.at("scenario").get<std::string>();
}

// The axes of size above one: "2 dp x 2 tp".
std::string mesh(const json& run) {
    std::string text;
    for (const char* axis : {"dp", "tp", "pp", "ep", "cp"}) {
        if (const int size = run.at("mesh").at(axis).get<int>(); size > 1) {
            text += fmt::format("{}{} {}", text.empty() ? "" : " x ", axis, size);
        }
    }
    return text.empty() ? "-" : text;
}

Row time_row(const json& run) {
    const double bubble = number(run, "bubble_fraction") * number(run, "simulated_seconds");
    // The remainder may be a rounding error below zero.
    const double idle = std::max(0.0, mean(run, "idle_seconds") - bubble);
    return {{name(run), mesh(run), fmt::format("{}", run.at("ranks").get<int>()), fmt::format("{}", processes(run)),
             report::in_seconds(number(run, "simulated_seconds")), fmt::format("{:.2f}x", number(run, "speedup")),
             report::percent_text(number(run, "efficiency")), report::in_seconds(mean(run, "compute_seconds")),
             report::in_seconds(mean(run, "communication_seconds")), report::in_seconds(bubble),
             report::in_seconds(idle)}};
}

Row result_row(const json& run) {
    return {{name(run), fmt::format("{:.6g}", mean(run, "units_sent")),
             fmt::format("{}", run.at("messages").get<std::int64_t>()),
             fmt::format("{:.6g}", most(run, "peak_memory_units")), fmt::format("{:.6f}", number(run, "loss_before")),
             fmt::format("{:.6f}", number(run, "loss")),
             has_same_weights(run) ? "yes"
             : is_compressed(run)  ? "compressed"
                                   : "NO",
             report::in_seconds(number(run, "wall_seconds"))}};
}

std::string notes(const std::vector<json>& runs) {
    std::string text =
        "\n"
        "compute, exposed comm(unication), bubble, idle: simulated seconds, mean over the ranks; they add up to "
        "simulated.\n"
        "  exposed comm: messages that nothing was computed beside. bubble: waiting for other stages of a pipeline.\n"
        "  idle: any other waiting.\n"
        "speedup: against 0D, one rank alone, with the same options.\n"
        "units sent: by a rank, mean. messages: of all ranks. peak memory: units held by the rank that holds most.\n"
        "loss: before and after the training. same weights: as 0D's, to a relative difference of 1e-9.\n";
    for (const json& run : runs) {
        if (run.at("mesh").at("ep").get<int>() > 1) {
            text += fmt::format(
                "{} trains a model with experts, so its loss is another; the 0D it is compared with trains the same.\n",
                name(run));
        }
    }
    return text;
}

int compare(const std::vector<std::string>& paths) {
    std::vector<json> runs;
    using report::Align;
    report::TextTable times{.columns = {{"scenario", Align::left},
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
    report::TextTable results{.columns = {{"scenario", Align::left},
                                          {"units sent"},
                                          {"messages"},
                                          {"peak memory"},
                                          {"loss before"},
                                          {"loss"},
                                          {"same weights as 0D"},
                                          {"wall time"}}};
    for (const std::string& path : paths) {
        runs.push_back(read(path));
        try {
            times.rows.push_back(time_row(runs.back()));
            results.rows.push_back(result_row(runs.back()));
        } catch (const json::exception& error) {
            refuse(path, fmt::format("one with {}", without_number(error.what())));
        }
    }
    command_line::print(text_of(times) + "\n" + text_of(results) + notes(runs));
    const auto agrees = [](const json& run) { return has_same_weights(run) || is_compressed(run); };
    return std::all_of(runs.begin(), runs.end(), agrees) ? done : failed;
}

}  // namespace

int main(int argc, char** argv) {
    return command_line::exit_code_of("ndsim_compare", [&] {
        const std::vector<std::string> paths(argv + 1, argv + argc);
        if (paths.empty()) {
            throw config::UsageError(usage_line);
        }
        if (paths.front() == "--help") {
            command_line::print(std::string(usage_line) + "\n");
            return static_cast<int>(done);
        }
        return compare(paths);
    });
}
