#include "libsim/config/injection_text.hpp"
#include "scenarios/options/options.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"

#include <fmt/format.h>

namespace sim::scenarios {

using namespace config;

namespace {

constexpr std::int64_t most_of_anything = 1'000'000;
constexpr double most_units = 1e9;

struct Axis {
    std::string name;
    std::string meaning;
    int MeshSizes::*size;
};

const std::vector<Axis>& all_axes() {
    static const std::vector<Axis> axes{{"dp", "data parallel", &MeshSizes::dp},
                                        {"tp", "tensor parallel", &MeshSizes::tp},
                                        {"pp", "pipeline parallel", &MeshSizes::pp},
                                        {"ep", "expert parallel", &MeshSizes::ep},
                                        {"cp", "context parallel", &MeshSizes::cp}};
    return axes;
}

void add_axes(const Scenario& scenario, Options& options, std::vector<OptionRow>& rows) {
    int all = 1;
    for (const auto& [name, size] : scenario.axes) {
        all *= size;
    }
    const std::string first = scenario.axes.empty() ? "" : scenario.axes.front().first;
    const std::string meaning = scenario.axes.empty() ? "ranks (1)"
                                : scenario.ranks_are_world
                                    ? fmt::format("all ranks; --{} is what the other axes leave ({})", first, all)
                                    : fmt::format("ranks along the scenario's own axis, same as --{} ({})", first,
                                                  scenario.axes.front().second);
    rows.push_back({"ranks", "N", meaning, whole(options.ranks, 1, command_line::most_ranks)});
    for (const Axis& axis : all_axes()) {
        for (const auto& [name, size] : scenario.axes) {
            if (name == axis.name) {
                const char* const note = axis.name == "ep" ? ", beside dp; Megatron's dp is dp x ep" : "";
                rows.push_back({axis.name, "N", fmt::format("size of the {} axis{} ({})", axis.meaning, note, size),
                                whole(options.mesh.*axis.size, 1, command_line::most_ranks)});
            }
        }
    }
}

void add_model(Options& options, std::vector<OptionRow>& rows) {
    lesson::Shape& shape = options.shape;
    rows.insert(rows.end(),
                {{"layers", "N", "layers of the model (4, or one per chunk and stage)", whole(shape.layers, 1, 256)},
                 {"hidden", "N", "width of the trained model (16)", whole(shape.hidden, 1, 1024)},
                 {"heads", "N", "attention heads per layer (4)", whole(shape.heads, 1, 1024)},
                 {"sequence", "N", "positions per item (8)", whole(shape.sequence, 1, 4096)},
                 {"experts", "N", "experts per layer; 0: none (0, or 2 x --ep)", whole(shape.experts, 0, 1024)},
                 {"top-k", "N", "experts per position, if there are any (2)", whole(shape.top_k, 1, 1024)},
                 {"loss", "NAME", "mean-squared or cross-entropy (mean-squared)",
                  enumerator(shape.loss, {"mean-squared", "cross-entropy"})},
                 {"optimizer", "NAME", "sgd or adam (sgd)", enumerator(options.optimizer, {"sgd", "adam"})}});
}

void add_data_parallel(const Scenario& scenario, Options& options, std::vector<OptionRow>& rows) {
    if (!scenario.has_axis("dp")) {
        return;
    }
    rows.insert(
        rows.end(),
        {{"zero", "N", "shard over replicas: 1 optimizer states, 2 gradients too, 3 weights too (0)",
          whole(options.zero, 0, 3)},
         {"overlap", "", "sum gradients during the backward pass", flag(options.overlap)},
         {"buckets", "N", "gradient buckets (1, or one per layer with --overlap)", whole(options.buckets, 1, 256)},
         {"synchronize", "NAME", "gradient all-reduce: ring, direct or parameter-server (ring)",
          one_of(options.synchronize, {Algorithm::ring, Algorithm::direct, Algorithm::parameter_server})},
         {"compress", "NAME", "gradient compression: none, top-k or 16-bit (none)",
          choice(options.compress, {"none", "top-k", "16-bit"})},
         {"compress-fraction", "X", "fraction of gradients that --compress top-k sends (0.01)",
          real(options.compress_fraction, 1e-9, 1)}});
    if (scenario.item_by_item) {
        rows.insert(rows.end(), {{"accumulate", "N",
                                  "items accumulated before gradients are synchronised "
                                  "(all of a step)",
                                  whole(options.accumulate, 1, most_of_anything)},
                                 {"local-steps", "N",
                                  "steps that each rank trains its own model before the models are averaged; 0: "
                                  "gradients are summed in every step (0)",
                                  whole(options.local_steps, 0, most_of_anything)},
                                 {"weighted", "", "divide the items by GPU speed", flag(options.weighted)}});
    }
}

void add_tensor_and_pipeline(const Scenario& scenario, Options& options, std::vector<OptionRow>& rows) {
    rows.insert(rows.end(), {{"micro-batches", "N", "micro-batches per step, except in 0D and 1D (4)",
                              whole(options.micro_batches, 1, most_of_anything)},
                             {"schedule", "NAME",
                              fmt::format("pipeline schedule: {} (1f1b)", fmt::join(pipeline_schedule_names(), ", ")),
                              one_of(options.schedule, known_schedules())}});
    if (scenario.has_axis("pp")) {
        rows.insert(
            rows.end(),
            {{"chunks", "N", "model chunks per stage (1, or 2 with --schedule interleaved)",
              whole(options.chunks, 1, 256)},
             {"blocking-sends", "", "a stage resumes only when its send has left", flag(options.blocking_sends)},
             {"show-schedule", "", "print the schedule of every stage, and exit", flag(options.show_schedule)}});
    }
    if (scenario.has_axis("tp")) {
        rows.push_back({"sequence-parallel", "", "shard positions over tp wherever heads are not split",
                        flag(options.sequence_parallel)});
    }
}

void add_scaling(const Scenario& scenario, Options& options, std::vector<OptionRow>& rows) {
    if (scenario.axes.empty()) {
        return;
    }
    const std::string meaning =
        fmt::format("compare runs with --{} 1, 2, …; with --svg as a curve", scenario.axes.front().first);
    rows.push_back({"scaling", "1,2,...", meaning,
                    List{1, command_line::most_ranks, [&options](const std::vector<std::int64_t>& sizes) {
                             options.scaling.assign(sizes.begin(), sizes.end());
                         }}});
}

}  // namespace

std::vector<OptionRow> option_table(const Scenario& scenario, Options& options) {
    std::vector<OptionRow> rows;
    add_axes(scenario, options, rows);
    rows.push_back(command_line::host_row(options));
    command_line::add_clock_rows(options, rows);
    rows.insert(rows.end(),
                {command_line::profile_row(options, {"gpu-py"}),
                 {"items", "N", "items per step, over all ranks (16)", whole(options.items, 1, most_of_anything)},
                 {"compute-units", "X", "cost of one item, forward and backward (20)",
                  real(options.compute_units, 0, most_units)},
                 {"gradient-units", "X", "size of the whole model's gradient (500)",
                  real(options.gradient_units, 0, most_units)},
                 {"activation-units", "X", "size of one item's activation at a layer boundary, if sent (50)",
                  real(options.activation_units, 0, most_units)},
                 {"steps", "N", "training steps (1)", whole(options.steps, 1, most_of_anything)},
                 {"seed", "N", "seed of weights and items (1)",
                  Whole{0, INT64_MAX, [&options](std::int64_t n) { options.seed = n; }}},
                 command_line::watchdog_row(options),
                 fault_row(options.faults)});
    add_recovery(options, rows);
    add_scaling(scenario, options, rows);
    command_line::add_output_rows(options, rows);
    add_model(options, rows);
    add_tensor_and_pipeline(scenario, options, rows);
    add_data_parallel(scenario, options, rows);
    return rows;
}

}  // namespace sim::scenarios
