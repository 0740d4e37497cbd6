// Options configure a training run: all scenarios share them, from the command line and from --config FILE.toml.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/op.hpp"
#include "libsim/parallel/checkpointing.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "scenarios/lesson/optimizer.hpp"
#include "scenarios/lesson/transformer/shape.hpp"
#include "scenarios/options/scenario.hpp"
#include "tools/command_line/run_options.hpp"
#include "tools/command_line/settings.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sim::scenarios {

// Sizes of the mesh axes. An axis that a scenario lacks has size 1.
struct MeshSizes {
    int dp = 1;
    int tp = 1;
    int pp = 1;
    int ep = 1;
    int cp = 1;

    std::int64_t ranks() const { return std::int64_t{dp} * tp * pp * ep * cp; }
};

struct Options : command_line::RunOptions {
    MeshSizes mesh;
    int items = 16;
    double compute_units = 20;
    double gradient_units = 500;
    double activation_units = 50;
    int steps = 1;
    std::int64_t seed = 1;

    // The training itself.
    lesson::Shape shape;
    lesson::OptimizerKind optimizer = lesson::OptimizerKind::sgd;

    // dp: how gradients are summed over the replicas.
    int zero = 0;          // 0: every replica holds everything
    bool overlap = false;  // during the backward pass
    int buckets = 0;       // per chunk; 0: 1, or one per layer with overlap
    Algorithm synchronize = Algorithm::ring;
    std::string compress = "none";
    double compress_fraction = 0.01;
    int accumulate = 0;     // items between two sums; 0: all items of a step
    int local_steps = 0;    // steps between two averages of the models; 0: gradients are summed instead
    bool weighted = false;  // items divided by the ranks' speed
    // tp
    bool sequence_parallel = false;
    // pp
    int micro_batches = 4;
    KnownSchedule schedule;
    int chunks = 0;  // per stage; 0: as the schedule needs
    bool blocking_sends = false;
    bool show_schedule = false;

    // The interval and cost of checkpoints.
    parallel::Checkpointing checkpoints{.write = std::chrono::seconds(2)};
    Duration between_faults{0};  // expected mean; 0: the best interval is not requested

    // Set by the scenario: a rank takes its items one by one instead of in micro-batches.
    bool item_by_item = false;
    // Set by the profile: how much slower each rank is.
    std::vector<double> slowdown;

    // Sizes of the first axis to run with, one after another; empty: a single run.
    std::vector<std::int64_t> scaling;

    config::Given given;

    std::uint64_t unsigned_seed() const { return static_cast<std::uint64_t>(seed); }
    // Whether the replicas' models may differ between steps (local SGD).
    bool averages_models() const { return local_steps > 0 && mesh.dp > 1; }
    // Whether a rank takes its items through the layers together, because other ranks see its progress.
    bool works_in_layers() const { return overlap || zero > 0; }
};

// Throws UsageError for anything invalid. `first_axis` replaces the requested size of the scenario's first axis: one
// size of --scaling.
std::variant<Options, command_line::Answer> read_options(const Scenario& scenario, int argc, const char* const* argv,
                                                         std::optional<std::int64_t> first_axis = {});

// Every option of a training run, once: the command line and --config both read it. The options of `scenario`; the rows
// set `options`. --config, --help and --version are not included: they belong to the command line.
std::vector<config::OptionRow> option_table(const Scenario& scenario, Options& options);

// The options for how often a training checkpoints its state, and for the reaction to a fault.
void add_recovery(Options& options, std::vector<config::OptionRow>& rows);

// Derives the settings that were not given. Throws UsageError for options that need others, or another mesh.
void settle_recovery(const command_line::Settings& settings, Options& options);

}  // namespace sim::scenarios
