// ndsim_compare FILE.json...: one comparison from the --json output of several scenarios, and nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using Row = std::vector<std::string>;

json read(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error(path + ": cannot be read");
    }
    try {
        return json::parse(file);
    } catch (const json::parse_error& error) {
        throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
    }
}

double number(const json& run, const char* key) {
    return run.at(key).get<double>();
}

// Over the ranks, which all live for the whole run: the means of the times add up to the simulated time.
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

// The axes of which there is more than one: "2 dp x 2 tp".
std::string mesh(const json& run) {
    std::string text;
    for (const char* axis : {"dp", "tp", "pp", "ep", "cp"}) {
        if (const int size = run.at("mesh").at(axis).get<int>(); size > 1) {
            text += fmt::format("{}{} {}", text.empty() ? "" : " x ", axis, size);
        }
    }
    return text.empty() ? "-" : text;
}

std::string in_seconds(double s) {
    return fmt::format("{:.3f} s", s);
}

Row time_row(const json& run) {
    const double bubble = number(run, "bubble_fraction") * number(run, "simulated_seconds");
    // What is left of nothing may be a last digit.
    const double idle = std::max(0.0, mean(run, "idle_seconds") - bubble);
    return {name(run),
            mesh(run),
            fmt::format("{}", run.at("ranks").get<int>()),
            fmt::format("{}", processes(run)),
            in_seconds(number(run, "simulated_seconds")),
            fmt::format("{:.2f}x", number(run, "speedup")),
            fmt::format("{:.1f} %", 100 * number(run, "efficiency")),
            in_seconds(mean(run, "compute_seconds")),
            in_seconds(mean(run, "communication_seconds")),
            in_seconds(bubble),
            in_seconds(idle)};
}

Row result_row(const json& run) {
    return {name(run),
            fmt::format("{:.6g}", mean(run, "units_sent")),
            fmt::format("{}", run.at("messages").get<std::int64_t>()),
            fmt::format("{:.6g}", most(run, "peak_memory_units")),
            fmt::format("{:.6f}", number(run, "loss_before")),
            fmt::format("{:.6f}", number(run, "loss")),
            has_same_weights(run) ? "yes"
            : is_compressed(run)  ? "compressed"
                                  : "NO",
            in_seconds(number(run, "wall_seconds"))};
}

// The first `left` columns to the left, numbers to the right.
void print(const std::vector<Row>& rows, std::size_t left) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], row[column].size());
        }
    }
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += column < left ? fmt::format("{:<{}}  ", row[column], widths[column])
                                  : fmt::format("{:>{}}  ", row[column], widths[column]);
        }
        fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    }
}

void print_notes(const std::vector<json>& runs) {
    fmt::print(
        "\n"
        "compute, exposed comm(unication), bubble, idle: simulated seconds, mean over the ranks; they add up to "
        "simulated.\n"
        "  exposed comm: messages that nothing was computed beside. bubble: waiting for other stages of a pipeline.\n"
        "  idle: any other waiting.\n"
        "speedup: against 0D, one rank alone, with the same options.\n"
        "units sent: by a rank, mean. messages: of all ranks. peak memory: units held by the rank that holds most.\n"
        "loss: before and after the training. same weights: as 0D's, to a relative difference of 1e-9.\n");
    for (const json& run : runs) {
        if (run.at("mesh").at("ep").get<int>() > 1) {
            fmt::print(
                "{} trains a model with experts, so its loss is another; the 0D it is compared with trains the same.\n",
                name(run));
        }
    }
}

int compare(const std::vector<std::string>& paths) {
    std::vector<json> runs;
    std::vector<Row> times = {{"scenario", "mesh", "ranks", "processes", "simulated", "speedup", "efficiency",
                               "compute", "exposed comm", "bubble", "idle"}};
    std::vector<Row> results = {{"scenario", "units sent", "messages", "peak memory", "loss before", "loss",
                                 "same weights as 0D", "wall time"}};
    for (const std::string& path : paths) {
        runs.push_back(read(path));
        try {
            times.push_back(time_row(runs.back()));
            results.push_back(result_row(runs.back()));
        } catch (const json::exception& error) {
            throw std::runtime_error(
                fmt::format("{}: is not what a scenario prints with --json ({})", path, error.what()));
        }
    }
    print(times, 2);
    fmt::print("\n");
    print(results, 1);
    print_notes(runs);
    const auto agrees = [](const json& run) { return has_same_weights(run) || is_compressed(run); };
    return std::all_of(runs.begin(), runs.end(), agrees) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> paths(argv + 1, argv + argc);
    if (paths.empty() || paths.front() == "--help") {
        fmt::print(paths.empty() ? stderr : stdout, "usage: ndsim_compare FILE.json...\n");
        return paths.empty() ? 2 : 0;
    }
    try {
        const int exit_code = compare(paths);
        if (std::fflush(stdout) != 0) {
            fmt::print(stderr, "ndsim_compare: standard output cannot be written\n");
            return 6;
        }
        return exit_code;
    } catch (const std::exception& error) {
        fmt::print(stderr, "ndsim_compare: {}\n", error.what());
        return 2;
    }
}
