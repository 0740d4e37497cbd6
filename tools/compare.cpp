// ndsim_compare FILE.json...: one table from the --json output of several scenarios, the sequential one first.
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

// Over the ranks, which all live for the whole run: the means add up to the simulated time.
double mean(const json& run, const char* key) {
    double sum = 0;
    for (const json& rank : run.at("per_rank")) {
        sum += rank.at(key).get<double>();
    }
    return sum / static_cast<double>(run.at("per_rank").size());
}

std::size_t processes(const json& run) {
    std::set<long> pids;
    for (const json& rank : run.at("per_rank")) {
        pids.insert(rank.at("pid").get<long>());
    }
    return pids.size();
}

bool has_same_weights(const json& run) {
    return run.at("max_weight_difference").get<double>() <= 1e-9;
}

Row row_of(const json& run, double sequential_seconds) {
    const double simulated = run.at("simulated_seconds").get<double>();
    const int ranks = run.at("ranks").get<int>();
    const double speedup = sequential_seconds / simulated;
    return {run.at("scenario").get<std::string>(),
            fmt::format("{}", ranks),
            fmt::format("{}", processes(run)),
            fmt::format("{:.3f} s", simulated),
            fmt::format("{:.2f}x", speedup),
            fmt::format("{:.1f} %", 100 * speedup / ranks),
            fmt::format("{:.3f} s", mean(run, "compute_seconds")),
            fmt::format("{:.3f} s", mean(run, "communication_seconds")),
            fmt::format("{:.3f} s", mean(run, "idle_seconds")),
            has_same_weights(run) ? "yes" : "NO",
            fmt::format("{:.3f} s", run.at("wall_seconds").get<double>())};
}

// The first column to the left, numbers to the right.
void print(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], row[column].size());
        }
    }
    for (const Row& row : rows) {
        std::string line = fmt::format("{:<{}}", row[0], widths[0]);
        for (std::size_t column = 1; column < row.size(); ++column) {
            line += fmt::format("  {:>{}}", row[column], widths[column]);
        }
        fmt::print("{}\n", line);
    }
}

int compare(const std::vector<std::string>& paths) {
    std::vector<Row> rows = {{"scenario", "ranks", "processes", "simulated", "speedup", "efficiency", "compute", "comm",
                              "idle", "same weights as 0D", "wall time"}};
    double sequential_seconds = 0;
    bool all_same = true;
    for (const std::string& path : paths) {
        const json run = read(path);
        if (rows.size() == 1) {
            sequential_seconds = run.at("sequential_seconds").get<double>();
        }
        rows.push_back(row_of(run, sequential_seconds));
        all_same = all_same && has_same_weights(run);
    }
    print(rows);
    fmt::print(
        "\ncompute, comm(unication), idle: simulated seconds, mean over the ranks; speedup against the same "
        "training on one rank\n");
    return all_same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> paths(argv + 1, argv + argc);
    if (paths.empty()) {
        fmt::print(stderr, "usage: ndsim_compare FILE.json...\n");
        return 2;
    }
    try {
        return compare(paths);
    } catch (const std::exception& error) {
        fmt::print(stderr, "ndsim_compare: {}\n", error.what());
        return 2;
    }
}
