// The first distributed program: every rank says hello, and all of them sum up one small array, ones x rank.
//
// Real processes and real numbers: after the all-reduce every rank holds 0 + 1 + … + (n-1) = n (n-1) / 2 in every
// place. With --mismatch the last rank brings one number more than the others, as a program with a mistake would, and
// the run says who disagrees with whom instead of hanging.
//
//   simulated time = 2 (n-1) x (latency + elements / n x seconds per data unit + acknowledgement), an element a unit
//                  = 6 x (0.05 s + 0.01 s + 0.05 s) = 0.66 s with the defaults, on 4 ranks
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/error.hpp"
#include "libsim/report/text_table.hpp"
#include "scenarios/run/launch.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/settings.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::command_line;
using namespace sim::config;
using namespace sim::scenarios;
using sim::GPU;
using sim::Size;

struct HelloOptions : command_line::RunOptions {
    int elements = 4;
    bool mismatch = false;
};

const command_line::Executable executable{
    .name = "distributed_hello",
    .summary = "Every rank says hello, and all of them sum up ones x rank.",
    .examples = {"distributed_hello                # 4 processes: each ends with 0 + 1 + 2 + 3 = 6",
                 "distributed_hello --mismatch     # one of them brings more numbers: who disagrees with whom",
                 "distributed_hello --ranks 64 --profile lab-nvlink --quiet"},
};

std::vector<config::OptionRow> option_rows(HelloOptions& options) {
    std::vector<config::OptionRow> rows;
    rows.push_back({"ranks", "N", "ranks that say hello (4)", whole(options.ranks, 1, most_ranks)});
    rows.push_back({"elements", "N", "numbers that each rank brings (4)", whole(options.elements, 1, 1'000'000)});
    rows.push_back(
        {"mismatch", "", "the last rank brings one number more than the others", config::flag(options.mismatch)});
    rows.push_back(command_line::host_row(options));
    command_line::add_clock_rows(options, rows);
    rows.push_back(command_line::profile_row(options, config::profile_names()));
    rows.push_back(command_line::watchdog_row(options));
    command_line::add_output_rows(options, rows);
    return rows;
}

// A number is a unit where the profile prices units, else its bytes.
Size cost_of_numbers(const sim::Cluster& cluster, std::size_t count) {
    try {
        sim::require_price(cluster, sim::Units{1});
        return sim::Units{static_cast<std::int64_t>(count)};
    } catch (const sim::ProgramError&) {
        return sim::Bytes{static_cast<std::int64_t>(count * sizeof(double))};
    }
}

// What a rank does.
void hello(GPU& gpu, const HelloOptions& options, const sim::Cluster& cluster) {
    const int ranks = gpu.world_size();
    gpu.log(fmt::format("Hello, I am rank {} of {}", gpu.rank(), ranks));
    const bool more = options.mismatch && gpu.rank() == ranks - 1;
    std::vector<double> numbers(static_cast<std::size_t>(options.elements + (more ? 1 : 0)), gpu.rank());
    gpu.report("brought", numbers);
    sim::all_reduce(gpu, sim::world(gpu), numbers, cost_of_numbers(cluster, numbers.size()));
    gpu.report("holds", numbers);
    gpu.log(fmt::format("I brought {} and hold {}", gpu.rank(), numbers[0]));
}

double expected_sum(int ranks) {
    return static_cast<double>(ranks) * (ranks - 1) / 2;
}

bool is_right(const sim::ranks::Result& result, int ranks) {
    const auto& holds = result.reports.at("holds");
    return holds.size() == static_cast<std::size_t>(ranks) &&
           std::all_of(holds.begin(), holds.end(), [&](const auto& of_rank) {
               return std::all_of(of_rank.second.begin(), of_rank.second.end(),
                                  [&](double x) { return x == expected_sum(ranks); });
           });
}

std::string some(const std::vector<double>& numbers) {
    constexpr std::size_t most = 8;
    const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(std::min(most, numbers.size()));
    return fmt::format("{}{}", fmt::join(numbers.begin(), end, " "), numbers.size() > most ? " …" : "");
}

std::string text_report(const HelloOptions& options, const sim::ranks::Result& result) {
    using report::Align;
    report::TextTable table{
        .columns = {{"rank"}, {"pid"}, {"brought", Align::left}, {"holds", Align::left}}, .rows = {}, .margin = "  "};
    for (int rank = 0; rank < options.ranks; ++rank) {
        table.rows.push_back(
            {{fmt::format("{}", rank), fmt::format("{}", result.pids[static_cast<std::size_t>(rank)]),
              some(result.reports.at("brought").at(rank)), some(result.reports.at("holds").at(rank))}});
    }
    return fmt::format("distributed_hello: {} rank{} ({}), profile {}\n\n", options.ranks,
                       options.ranks == 1 ? "" : "s", row_of(options.host).plural, options.profile) +
           text_of(table) +
           fmt::format("\n  the sum of all ranks is {}, and {}\n  simulated time {:.6g} s, {} messages\n",
                       expected_sum(options.ranks),
                       is_right(result, options.ranks) ? "every rank holds it" : "NOT EVERY RANK HOLDS IT",
                       sim::seconds(result.end), result.messages);
}

std::string json_report(const HelloOptions& options, const sim::ranks::Result& result) {
    using Json = nlohmann::ordered_json;
    Json ranks = Json::array();
    for (int rank = 0; rank < options.ranks; ++rank) {
        ranks.push_back({{"rank", rank},
                         {"pid", result.pids[static_cast<std::size_t>(rank)]},
                         {"brought", result.reports.at("brought").at(rank)},
                         {"holds", result.reports.at("holds").at(rank)}});
    }
    const Json report{{"scenario", executable.name},
                      {"host", name_of(options.host)},
                      {"clock", name_of(options.clock)},
                      {"profile", options.profile},
                      {"ranks", options.ranks},
                      {"simulated_seconds", sim::seconds(result.end)},
                      {"wall_seconds", result.wall_seconds},
                      {"expected", expected_sum(options.ranks)},
                      {"right", is_right(result, options.ranks)},
                      {"per_rank", ranks},
                      {"timeline_sha256", result.timeline_sha256},
                      {"messages", result.messages},
                      {"ops", result.ops}};
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

int run_or_throw(int argc, const char* const* argv) {
    HelloOptions options;
    options.ranks = 4;
    if (!command_line::take_options(executable, option_rows(options), argc, argv)) {
        return done;
    }
    command_line::check_host(options.host, options.ranks);
    const sim::Cluster cluster = config::read_profile(options.profile, options.ranks);
    const Launched launched = launch_and_show(executable.name, options, cluster,
                                              [&](GPU& gpu, const auto&) { hello(gpu, options, cluster); });
    if (!launched.result.ok()) {
        return launched.exit_code;
    }
    command_line::write_outputs(options.outputs, {.text = [&] { return text_report(options, launched.result); },
                                                  .json = [&] { return json_report(options, launched.result); }});
    if (!is_right(launched.result, options.ranks)) {
        return command_line::complain(executable.name, "the sum is wrong", failed);
    }
    return launched.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    return command_line::exit_code_of(executable.name, [&] { return run_or_throw(argc, argv); });
}
