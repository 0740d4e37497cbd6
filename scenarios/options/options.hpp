// Options configure a training run: all scenarios share them, from the command line and from --config FILE.toml.
#pragma once

#include "libsim/op.hpp"
#include "libsim/parallel/checkpointing.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "scenarios/lesson/optimizer.hpp"
#include "scenarios/lesson/transformer/shape.hpp"
#include "scenarios/scenario.hpp"
#include "tools/command_line/run_options.hpp"
#include "tools/command_line/settings.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sim::scenarios {

// Sizes of the axes over which the ranks are spread. An axis that a scenario lacks has size 1.
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

    // dp: how gradients are added up over the replicas.
    int zero = 0;          // 0: every replica has everything
    bool overlap = false;  // beside the backward pass
    int buckets = 0;       // per chunk; 0: 1, or one for each layer with overlap
    Algorithm synchronize = Algorithm::ring;
    std::string compress = "none";
    double compress_fraction = 0.01;
    int accumulate = 0;     // items between two sums; 0: all of a step
    bool weighted = false;  // shares of the items by the ranks' speed
    // tp
    bool sequence_parallel = false;
    // pp
    int micro_batches = 4;
    KnownSchedule schedule;
    int chunks = 0;  // of each stage; 0: as the schedule needs
    bool blocking_sends = false;
    bool show_schedule = false;

    // How often the state is handed over.
    parallel::Checkpointing checkpoints{.write = std::chrono::seconds(2)};
    Duration between_faults{0};  // the mean that is expected; 0: nobody asks for the best interval

    // Set by the scenario: a rank takes its items one by one, rather than in micro-batches.
    bool item_by_item = false;
    // Set by the profile: how much slower each rank is.
    std::vector<double> slowdown;

    // Sizes of the first axis to run with, one after another; empty: one run.
    std::vector<std::int64_t> scaling;

    config::Given given;

    std::uint64_t unsigned_seed() const { return static_cast<std::uint64_t>(seed); }
    // True if a rank takes its items through the layers together, because others see how far it has come.
    bool works_in_layers() const { return overlap || zero > 0; }
};

// Throws UsageError for whatever cannot be. With `first_axis`, as if that were asked of the scenario's first axis in
// place of what the user asks for: one size of --scaling.
std::variant<Options, command_line::Answer> read_options(const Scenario& scenario, int argc, const char* const* argv,
                                                         std::optional<std::int64_t> first_axis = {});

}  // namespace sim::scenarios
