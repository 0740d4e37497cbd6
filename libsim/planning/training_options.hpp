// What `ndsim train`, `memory`, `plan` and `sweep` are asked alike: which model, on which machine, in which layout.
//
// What was not said follows from what was: every value that is derived is told in one line.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sim::scenarios {

// Sizes in place of the model's own; 0: as the model has it.
struct ShapeOverrides {
    int layers = 0;
    int hidden = 0;
    int ffn = 0;
    int heads = 0;
    int kv_heads = 0;
    int vocabulary = 0;
    int sequence = 0;
};

struct TrainingOptions {
    std::string model;
    std::string machine = "dgx-h100";
    int gpus = 0;  // 0: not said
    ShapeOverrides shape;
    model::Layout layout;
    std::string efficiency;   // KEY=VALUE,KEY=VALUE
    double usd_per_hour = 0;  // of one GPU
    double jitter = 0;
    std::int64_t seed = 1;
    std::set<std::string> given;  // names of the options that were set

    bool has(const std::string& name) const { return given.count(name) > 0; }
};

// Rows of all of it, which note what they set in `given`. `options` outlives them.
std::vector<OptionRow> training_rows(TrainingOptions& options);

struct TrainingCase {
    model::Transformer model;
    model::Machine machine;
    model::Layout layout;
    std::string price;              // where usd_per_hour comes from
    std::vector<std::string> told;  // what was derived, a line each: "dp 16: 128 GPUs / (tp 8 x pp 1 x cp 1)"

    int gpus() const { return layout.ranks(); }
};

// The parts, for those who search layouts themselves. All throw UsageError, one line.
model::Transformer model_of(const TrainingOptions& options, std::vector<std::string>& told);
model::Machine machine_of(const TrainingOptions& options);
// dp, global batch, schedule and so on where they were not said. The layout may still be impossible.
model::Layout layout_of(const TrainingOptions& options, const model::Transformer& model, const model::Machine& machine,
                        std::vector<std::string>& told);
// "--usd-per-hour", or the machine's own data.
std::string price_source(const TrainingOptions& options, const model::Machine& machine);

// All of it; the layout is possible, though it may need more memory than there is.
TrainingCase training_case(const TrainingOptions& options);
// With a model and a machine that were read before.
TrainingCase training_case(const TrainingOptions& options, const model::Transformer& model,
                           const model::Machine& machine);

}  // namespace sim::scenarios
