// This program measures collectives by size: the table that users of nccl-tests know, from the simulator.
//
// Each size is a separate run: all ranks begin at 0, and its time is the end of the last one. It is computed from the
// size alone; --check also carries it out message by message, with real numbers, which must take exactly as long.
//
//   ring all-reduce of S bytes on n ranks = 2 (n-1) x (latency + S / n / bandwidth)
//                                         = 2 x (467 us + 0.5 MB / 15 GB/s) = 1000.67 us for 1 MB on 2 ranks, lab-pcie
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/error.hpp"
#include "ranks/host/stop_signal.hpp"
#include "scenarios/report/bandwidth_report.hpp"
#include "scenarios/run/launch.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/settings.hpp"

#include <fmt/format.h>

namespace {

using namespace sim;
using namespace sim::command_line;
using namespace sim::config;
using namespace sim::scenarios;
using namespace sim::search;
using sim::GPU;

// Each rank holds a whole array.
constexpr std::int64_t most_elements_with_data = 100'000'000;

struct ProfileOptions : RunOptions {
    sim::CollectiveKind kind = sim::CollectiveKind::all_reduce;
    std::optional<sim::Algorithm> algorithm;  // none: the collective's default
    std::vector<std::int64_t> sizes{1'000, 10'000, 100'000, 1'000'000, 10'000'000};
    bool check = false;
};

const Executable executable{
    .name = "communication_profile",
    .summary = "Times collectives by size: time, algorithm bandwidth and bus bandwidth, as in nccl-tests.",
    .examples = {"communication_profile                                            # all-reduce on 2 GPUs over PCIe",
                 "communication_profile --sizes 1:1048576:2 --profile lab-nvlink   # every power of two",
                 "communication_profile --ranks 8 --algorithm parameter-server     # what the server costs",
                 "communication_profile --collective all-gather --check            # with real numbers, too"},
};

std::vector<OptionRow> option_rows(ProfileOptions& options) {
    std::vector<std::string> kinds;
    for (const sim::CollectiveKind kind : profiled_kinds()) {
        kinds.emplace_back(name_of(kind));
    }
    const auto set_kind = [&options](std::size_t i) { options.kind = profiled_kinds()[i]; };
    std::vector<std::string> algorithm_names;
    for (const sim::Algorithm algorithm : sim::all_algorithms()) {
        algorithm_names.emplace_back(name_of(algorithm));
    }
    const auto set_algorithm = [&options](std::size_t i) { options.algorithm = sim::all_algorithms()[i]; };
    const auto set_sizes = [&options](const std::vector<std::int64_t>& sizes) { options.sizes = sizes; };
    std::vector<OptionRow> rows{
        {"ranks", "N", "number of ranks (2)", whole(options.ranks, 2, most_ranks)},
        {"collective", "NAME", fmt::format("{} (all-reduce)", fmt::join(kinds, ", ")), Choice{kinds, set_kind}},
        {"algorithm", "NAME", "ring, direct, … (ring; direct for gather, scatter, all-to-all)",
         Choice{algorithm_names, set_algorithm}},
        {"sizes", "LIST|A:B", "floats: 1000,5000, or 1e3:1e7 (times ten each), or 1:1024:2 (times two) (1e3:1e7)",
         List{1, 1'000'000'000'000, set_sizes}},
        {"check", "", "also run with real numbers, and check times and results", flag(options.check)},
        host_row(options),
        profile_row(options, profile_names()),
        watchdog_row(options),
    };
    const std::vector<OptionRow> outputs = output_rows(
        options.outputs, {.json = "print one JSON object instead of the table", .table = "a line for each size"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

sim::AlgorithmConfig config_of(const ProfileOptions& options) {
    return options.algorithm.value_or(sim::default_algorithm(options.kind));
}

void check_options(const ProfileOptions& options, const sim::Cluster& cluster) {
    check_host(options.host, options.ranks);
    try {
        check_algorithm(options.kind, config_of(options), options.ranks);
    } catch (const sim::ProgramError& error) {
        throw UsageError(fmt::format("--algorithm: {}", error.what()));
    }
    for (const std::int64_t size : options.sizes) {
        if (options.check && size > most_elements_with_data) {
            throw UsageError(
                fmt::format("--check holds {} floats on every rank; it goes up to {}", size, most_elements_with_data));
        }
    }
    try {
        sim::require_price(cluster, sim::Bytes{1});
    } catch (const sim::ProgramError& error) {
        throw UsageError(
            fmt::format("--profile {} does not fit: {}; its kind must be \"uniform\"", options.profile, error.what()));
    }
}

// Times one size; empty with `exit_code` set if a run failed.
std::optional<Timed> timed(const ProfileOptions& options, const sim::Cluster& cluster, const CollectiveCase& what,
                           int& exit_code) {
    sim::ranks::LaunchOptions launch = launch_options(executable.name, options, cluster);
    launch.hash_timeline = false;
    const auto ran = [&](const sim::ranks::Program& program) {
        sim::ranks::Result result = sim::ranks::launch(launch, program);
        if (!result.ok()) {
            tell(fmt::format("{}: {}\n", executable.name, result.fault->message));
            exit_code = result.exit_code();
        }
        return result;
    };
    const auto by_size = ran([&](GPU& gpu) { run_by_size(gpu, what); });
    if (!by_size.ok() || !options.check) {
        return by_size.ok() ? std::optional<Timed>{{what, by_size.end, {}}} : std::nullopt;
    }
    const auto with_data = ran([&](GPU& gpu) { gpu.report("wrong", static_cast<double>(run_with_data(gpu, what))); });
    if (!with_data.ok()) {
        return std::nullopt;
    }
    if (with_data.end != by_size.end) {
        exit_code = complain(executable.name,
                             fmt::format("{} bytes take {} s by size and {} s with data", what.bytes(),
                                         sim::seconds(by_size.end), sim::seconds(with_data.end)),
                             failed);
        return std::nullopt;
    }
    std::int64_t wrong = 0;
    for (const auto& [rank, count] : with_data.reports.at("wrong")) {
        wrong += static_cast<std::int64_t>(count.front());
    }
    return Timed{what, by_size.end, wrong};
}

int run_or_throw(int argc, const char* const* argv) {
    ProfileOptions options;
    options.ranks = 2;
    options.profile = "lab-pcie";
    if (!take_options(executable, option_rows(options), argc, argv)) {
        return done;
    }
    check_outputs(options.outputs);
    const sim::Cluster cluster = read_profile(options.profile, options.ranks);
    check_options(options, cluster);
    std::vector<CollectiveCase> cases;
    for (const std::int64_t elements : options.sizes) {
        cases.push_back(collective_case(options.kind, config_of(options), elements, options.ranks));
    }
    const sim::ranks::StopSignal stop;
    std::vector<Timed> table;
    bool right = true;
    for (const CollectiveCase& what : cases) {
        int exit_code = done;
        const auto row = timed(options, cluster, what, exit_code);
        if (!row) {
            return exit_code;
        }
        table.push_back(*row);
        right = right && row->wrong.value_or(0) == 0;
        if (const int signal = stop.received(); signal != 0) {
            return stopped + signal;
        }
    }
    write_outputs(options.outputs, {.text = [&] { return bandwidth_table(options, table); },
                                    .json = [&] { return bandwidth_json(options, table); },
                                    .table = [&] { return bandwidth_rows(table); }});
    return right ? done : complain(executable.name, "some of the numbers are wrong", failed);
}

}  // namespace

int main(int argc, char** argv) {
    return exit_code_of(executable.name, [&] { return run_or_throw(argc, argv); });
}
