// The first distributed program: every rank says hello, and all of them sum up one small array, ones x rank.
//
// It uses real processes and real numbers: after the all-reduce every rank holds 0 + 1 + … + (n-1) = n (n-1) / 2 in
// every place. With --mismatch the last rank contributes one number more than the others, as a buggy program would, and
// the run reports which ranks disagree instead of hanging.
//
//   simulated time = 2 (n-1) x (latency + elements / n x seconds per data unit + acknowledgement), an element a unit
//                  = 6 x (0.05 s + 0.01 s + 0.05 s) = 0.66 s with the defaults, on 4 ranks
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/error.hpp"
#include "scenarios/report/hello_report.hpp"
#include "scenarios/run/launch.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/settings.hpp"

#include <fmt/format.h>

namespace {

using namespace sim;
using namespace sim::command_line;
using namespace sim::config;
using namespace sim::scenarios;
using sim::GPU;
using sim::Size;

struct HelloOptions : RunOptions {
    int elements = 4;
    bool mismatch = false;
};

const Executable executable{
    .name = "distributed_hello",
    .summary = "Every rank says hello, and all of them sum up ones x rank.",
    .examples = {"distributed_hello                # 4 processes: each ends with 0 + 1 + 2 + 3 = 6",
                 "distributed_hello --mismatch     # one of them brings more numbers: who disagrees with whom",
                 "distributed_hello --ranks 64 --profile lab-nvlink --quiet"},
};

std::vector<OptionRow> option_rows(HelloOptions& options) {
    std::vector<OptionRow> rows;
    rows.push_back({"ranks", "N", "ranks that say hello (4)", whole(options.ranks, 1, most_ranks)});
    rows.push_back({"elements", "N", "numbers that each rank brings (4)", whole(options.elements, 1, 1'000'000)});
    rows.push_back({"mismatch", "", "the last rank brings one number more than the others", flag(options.mismatch)});
    rows.push_back(host_row(options));
    add_clock_rows(options, rows);
    rows.push_back(profile_row(options, profile_names()));
    rows.push_back(watchdog_row(options));
    add_output_rows(options, rows);
    return rows;
}

// A number is a unit if the profile prices units, otherwise its bytes.
Size cost_of_numbers(const sim::Cluster& cluster, std::size_t count) {
    try {
        sim::require_price(cluster, sim::Units{1});
        return sim::Units{static_cast<std::int64_t>(count)};
    } catch (const sim::ProgramError&) {
        return sim::Bytes{static_cast<std::int64_t>(count * sizeof(double))};
    }
}

// The program of a rank.
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

int run_or_throw(int argc, const char* const* argv) {
    HelloOptions options;
    options.ranks = 4;
    if (!take_options(executable, option_rows(options), argc, argv)) {
        return done;
    }
    check_host(options.host, options.ranks);
    const sim::Cluster cluster = read_profile(options.profile, options.ranks);
    const Launched launched = launch_and_show(executable.name, options, cluster,
                                              [&](GPU& gpu, const auto&) { hello(gpu, options, cluster); });
    if (!launched.result.ok()) {
        return launched.exit_code;
    }
    const HelloRun run{options, launched.result};
    write_outputs(options.outputs, {.text = [&] { return hello_text(run); }, .json = [&] { return hello_json(run); }});
    if (!run.is_right()) {
        return complain(executable.name, "the sum is wrong", failed);
    }
    return launched.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    return exit_code_of(executable.name, [&] { return run_or_throw(argc, argv); });
}
